"""Write the tables by release in two stories, from what real Kafka has answered.

    python -m tools.story_tables

The recordings of `tests/conformance/scenarios/delayed_requests.py` have a row for each release, and
for each version of EndTxn that its clients use.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final, cast

from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES, Release
from tests.conformance.script import scenarios
from tests.conformance.steps import Step

STORIES: Final = Path(__file__).parents[1] / "docs" / "stories"
LATE_BATCH: Final = STORIES / "late-batch.md"
DELAYED_END: Final = STORIES / "delayed-end-txn.md"

_STYLES: Final = ("first", "old", "abortable", "bumping")
"""The names of the versions that clients of one age use, in recordings."""

Answers = Mapping[str, Step]
"""The steps of a recording by name."""
Cells = tuple[str, ...]


def rows(scenario: str, cells: Callable[[Answers, str], Cells | None]) -> Iterator[str]:
    """Yield a row for each release, and for the versions of EndTxn for which its cells are equal.

    `cells` returns those of a style, or None if the release does not have it.
    """
    script = scenarios()[scenario]
    for release in RELEASES:
        if script.applies_to(release):
            answers = {step.name: step for step in read(script, release)}
            yield from _of_release(release, answers, cells)


def _of_release(
    release: Release, answers: Answers, cells: Callable[[Answers, str], Cells | None]
) -> Iterator[str]:
    found = [(style, cells(answers, style)) for style in _STYLES]
    known = [(_version(answers, style), line) for style, line in found if line is not None]
    for line, group in groupby(known, key=lambda each: each[1]):
        versions = ", ".join(version for version, _ in group)
        yield f"| {release.label} | {versions} | {' | '.join(line)} |"


def _version(answers: Answers, style: str) -> str:
    """Return the version of EndTxn of a style."""
    asked = (step.asked for name, step in answers.items() if name.endswith(f", {style}"))
    return next(text.removeprefix("EndTxn ") for text in asked if text.startswith("EndTxn "))


def policies(answers: Answers, style: str) -> Cells | None:
    """Return what a client gets that ends, bumps, or leaves it to a new instance."""
    if f"the end, end, {style}" not in answers:
        return None
    late = "the late batch, {}, " + style
    ended = _error(answers[late.format("end")])
    ended = "stored, hangs" if ended == "NONE" else f"`{ended}`"
    fenced = [late.format(policy) for policy in ("bump", "new instance")]
    refusals = dict.fromkeys(_shown(answers[name]) for name in fenced if name in answers)
    bump = answers.get(f"asked again, bump, {style}")
    bumped = "cannot be asked" if bump is None else _shown(bump)
    replaced = _shown(answers[f"asked again, new instance, {style}"])
    return ended, bumped, replaced, ", ".join(refusals)


def late_ends(answers: Answers, style: str) -> Cells | None:
    """Return the outcome of an end that arrives in the next transaction."""
    how = f"abort then commit, {style}"
    if f"the late end, {how}" not in answers:
        return None
    late = _error(answers[f"the late end, {how}"])
    after = _error(answers[f"it writes to the same partition, {how}"])
    own = _error(answers[f"its own end, {how}"])
    if late == "NONE":
        stored = "stored, hangs" if after == "NONE" else f"`{after}`"
        return "ends it", stored, f"`{own}`"
    return f"`{late}`", f"`{after}`", f"`{own}`"


def whole_ends(answers: Answers, style: str) -> Cells | None:
    """Return the answers to the own end, after a late end has ended the whole transaction."""
    how = [f"{late} then {own}" for late in ("commit", "abort") for own in ("commit", "abort")]
    if f"the late end, {how[0]}, {style}" not in answers:
        return None
    late = _error(answers[f"the late end, {how[0]}, {style}"])
    own = (_shown(answers[f"its own end, {each}, {style}"]) for each in how)
    return ("ends it" if late == "NONE" else f"`{late}`", *own)


def _shown(step: Step) -> str:
    return f"`{_error(step)}`"


def _error(step: Step) -> str:
    """Return the first error of an answer, or NONE."""
    return next((code for code in _errors(step.answer) if code != "NONE"), "NONE")


def _errors(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in cast("dict[str, Any]", value).items():
            if name.endswith("error_code"):
                yield each
            else:
                yield from _errors(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _errors(each)


def with_tables(text: str, tables: Mapping[str, Iterator[str]]) -> str:
    """Return the text of a page with new tables; each table has a head of its own in the page.

    Raises: ValueError if the text has no place for one.
    """
    for name, lines in tables.items():
        begin = f"<!-- {name}: made by `make docs` (tools/story_tables.py) -->\n"
        end = f"\n<!-- end of {name} -->"
        before, rest = text.split(begin)
        _, after = rest.split(end)
        head = "\n".join(HEADS[name])
        text = before + begin + "\n" + head + "\n" + "\n".join(lines) + "\n" + end + after
    return text


HEADS: Final = {
    "policies": (
        (
            "| Kafka | EndTxn | EndTxn: the late batch | bump: InitProducerId |"
            " new instance: InitProducerId | the late batch after these two |"
        ),
        "| --- " * 6 + "|",
    ),
    "late-ends": (
        (
            "| Kafka | EndTxn | the late EndTxn | the next batch in that partition |"
            " the client's own commit |"
        ),
        "| --- " * 5 + "|",
    ),
    "whole-ends": (
        (
            "| Kafka | EndTxn | the late EndTxn | a commit, then commit | a commit, then abort |"
            " an abort, then commit | an abort, then abort |"
        ),
        "| --- " * 7 + "|",
    ),
}


def pages() -> dict[Path, str]:
    """Return the new texts of the pages."""
    return {
        LATE_BATCH: with_tables(
            LATE_BATCH.read_text("utf-8"),
            {"policies": rows("late_batch_after_each_policy", policies)},
        ),
        DELAYED_END: with_tables(
            DELAYED_END.read_text("utf-8"),
            {
                "late-ends": rows("end_that_arrives_in_the_next_transaction", late_ends),
                "whole-ends": rows("end_that_arrives_before_the_only_end", whole_ends),
            },
        ),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")

"""Report of a comparison: as text, as Markdown, and as a document for programs."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mockbroker.diff.comparison import ComparedConversation, Comparison
from mockbroker.diff.conversations import FieldDifference, Json
from mockbroker.diff.outcomes import StepOutcome, StepStatus
from mockbroker.diff.selection import NotAsked

FIELDS_MAX: Final = 6
"""Fields of a difference that the text shows; the document has all."""
LONGEST: Final = 200
NAMES_MAX: Final = 4


def document(comparison: Comparison, reproduction: str) -> dict[str, Any]:
    """Return the whole comparison; `reproduction` is the command without scenario and step."""
    return {
        "against": comparison.against,
        "kafka": comparison.release.label,
        "compared_with": compared_with(comparison),
        "conversations": conversation_counts(comparison.asked),
        "apis": {api: dict(counts) for api, counts in api_rows(comparison)},
        "differences": [
            _outcome_document(outcome, command(outcome, reproduction))
            for outcome in comparison.outcomes
            if outcome.is_failure or outcome.status is StepStatus.LISTED
        ],
        "stopped": {each.scenario: each.stop for each in comparison.asked if each.stop},
        "not_asked": {each.scenario: each.reason for each in comparison.not_asked},
        "notes": comparison.notes,
        "left_over": comparison.left_over,
        "lost_at": comparison.lost_at,
    }


def _outcome_document(outcome: StepOutcome, reproduce: str) -> dict[str, Any]:
    return {
        "scenario": outcome.scenario,
        "step": outcome.number,
        "name": outcome.step,
        "asked": outcome.asked,
        "api": outcome.api,
        "status": outcome.status.value,
        "why": outcome.why,
        "request": outcome.request,
        "fields": [
            {"field": each.field, "expected": each.kafka, "given": each.ours}
            for each in outcome.differences
        ],
        "expected": outcome.expected,
        "given": outcome.given,
        "reproduce": reproduce,
    }


def compared_with(comparison: Comparison) -> str:
    """Name the other side of the comparison."""
    if comparison.is_walk:
        return f"mockbroker as Kafka {comparison.release.name}, not real Kafka"
    return f"recordings of Kafka {comparison.release.label}"


def command(outcome: StepOutcome, reproduction: str) -> str:
    """Return the command that repeats a step."""
    if "--walk" in reproduction:
        return f"{reproduction} --step {outcome.number}"
    return f"{reproduction} --scenario {outcome.scenario} --step {outcome.number}"


def api_rows(comparison: Comparison) -> list[tuple[str, Counter[str]]]:
    """Count the steps of each API by their status."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for outcome in comparison.outcomes:
        counts[outcome.api][outcome.status.value] += 1
    return sorted(counts.items())


def conversation_counts(asked: Sequence[ComparedConversation]) -> dict[str, int]:
    """Count the conversations by their result."""
    counts = Counter("differ" if each.failures else "same" for each in asked)
    return {name: counts[name] for name in ("same", "differ")}


# Text.


def table(comparison: Comparison) -> list[list[str]]:
    """Return the table by API, with its heading."""
    statuses = [each.value for each in StepStatus]
    rows = [
        [api, *(str(counts[status] or "-") for status in statuses)]
        for api, counts in api_rows(comparison)
    ]
    return [["API", *statuses], *rows]


def summary(comparison: Comparison) -> str:
    """Return the result in one line."""
    counts = conversation_counts(comparison.asked)
    steps = sum(len(each.outcomes) for each in comparison.asked)
    return (
        f"{len(comparison.asked)} conversations of {steps} steps: {counts['same']} same, "
        f"{counts['differ']} differ; {len(comparison.not_asked)} not asked"
    )


def difference_lines(outcome: StepOutcome, reproduce: str) -> Iterator[str]:
    """Describe one difference."""
    why = f" ({outcome.why})" if outcome.why else ""
    heading = f"{outcome.scenario}, step {outcome.number}: {outcome.step} ({outcome.asked})"
    yield f"{heading}: {outcome.status.value}{why}"
    for each in outcome.differences[:FIELDS_MAX]:
        yield f"  {_field_line(each)}"
    if len(outcome.differences) > FIELDS_MAX:
        yield f"  and {len(outcome.differences) - FIELDS_MAX} more fields"
    yield f"  {reproduce}"


def _field_line(difference: FieldDifference) -> str:
    expected, given = _short(difference.kafka), _short(difference.ours)
    return f"{difference.field}: expected {expected}, given {given}"


def step_lines(outcome: StepOutcome) -> Iterator[str]:
    """Describe one step in full: the request, and both answers."""
    for title, value in (
        ("request", outcome.request),
        ("expected", outcome.expected),
        ("given", outcome.given),
    ):
        yield f"{title}:"
        yield from (f"  {line}" for line in _pretty(value).splitlines())


def _pretty(value: Json) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def reasons(not_asked: Sequence[NotAsked]) -> Mapping[str, Sequence[str]]:
    """Return the scenarios that were not asked, by reason, the most frequent first."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for each in not_asked:
        named[each.reason].append(each.scenario)
    return dict(sorted(named.items(), key=lambda item: (-len(item[1]), item[0])))


def reason_lines(not_asked: Sequence[NotAsked]) -> Iterator[str]:
    """Describe what was not asked: a line for each reason."""
    for reason, names in reasons(not_asked).items():
        more = f" and {len(names) - NAMES_MAX} more" if len(names) > NAMES_MAX else ""
        yield f"  {len(names):4} {reason}: {', '.join(names[:NAMES_MAX])}{more}"


# Markdown.


def markdown(comparison: Comparison, reproduction: str) -> str:
    """Return the comparison as a page."""
    lines = [
        f"# {comparison.against} and {compared_with(comparison)}",
        "",
        f"{summary(comparison)}.",
        "",
        *(f"- {note}" for note in comparison.notes),
        "",
        *_markdown_table(comparison),
        "",
        "## Differences",
        "",
    ]
    for outcome in comparison.failures:
        lines += _markdown_difference(outcome, command(outcome, reproduction))
    lines += ["## Listed differences", ""]
    lines += [
        f"- {each.scenario}, step {each.number}: {each.step}"
        for each in comparison.outcomes
        if each.status is StepStatus.LISTED
    ]
    lines += ["", "## Not asked", ""]
    lines += [
        f"- {reason}: {', '.join(names)}" for reason, names in reasons(comparison.not_asked).items()
    ]
    return "\n".join(lines) + "\n"


def _markdown_table(comparison: Comparison) -> Iterator[str]:
    heading, *rows = table(comparison)
    yield f"| {' | '.join(heading)} |"
    yield f"| --- |{' ---: |' * (len(heading) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _markdown_difference(outcome: StepOutcome, reproduce: str) -> Iterator[str]:
    yield f"### {outcome.scenario}, step {outcome.number}"
    yield ""
    yield "```text"
    yield from difference_lines(outcome, reproduce)
    yield from step_lines(outcome)
    yield "```"
    yield ""

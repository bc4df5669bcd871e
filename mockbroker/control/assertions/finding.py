"""What an assertion has found to be wrong, and how it is told."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

WIDTH: Final = 110
SHOWN_MAX: Final = 10
"""How many findings of an assertion are told one by one; the others are counted."""


class Ghost(NamedTuple):
    """A batch that was in a log and is no more."""

    first_offset: int
    last_offset: int
    producer_id: int
    producer_epoch: int


class Finding(NamedTuple):
    """One thing that is wrong."""

    text: str
    """What is wrong and where, as a sentence."""
    advice: str = ""
    """What one who reads it might do."""
    topic: str = ""
    partition: int = -1
    base_offset: int = -1
    """Where the batch or record is that it is about; -1 where it has no place in a log."""
    note: str = ""
    """What to write under that batch in its lane."""
    ghost: Ghost | None = None
    """What to draw into the lane of the partition though it is there no more."""

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it is: topic, partition, base offset."""
        return self.topic, self.partition, self.base_offset


class ClusterAssertionError(AssertionError):
    """An assertion about a cluster does not hold."""

    def __init__(self, claim: str, findings: Sequence[Finding], drawing: str = "") -> None:
        """Tell what was claimed, what is wrong with it, and show the partitions."""
        super().__init__(told(claim, findings, drawing))
        self.claim = claim
        self.findings = tuple(findings)


def told(claim: str, findings: Sequence[Finding], drawing: str = "") -> str:
    """Write a failure: the claim, what is wrong, what to do, and the lanes."""
    parts = [claim, _listed(findings)]
    advice = dict.fromkeys(each.advice for each in findings if each.advice)
    parts += [_filled(f"What to do: {each}") for each in advice]
    return "\n\n".join([*parts, drawing] if drawing else parts)


def _listed(findings: Sequence[Finding]) -> str:
    lines = [_filled(each.text, "- ", "  ") for each in findings[:SHOWN_MAX]]
    if len(findings) > SHOWN_MAX:
        lines.append(f"- and {len(findings) - SHOWN_MAX} more")
    return "\n".join(lines)


def _filled(text: str, first_indent: str = "", indent: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


class Annotations(NamedTuple):
    """What is written and drawn into lanes beside what is there."""

    notes: Mapping[tuple[str, int, int], str]
    """What to write under the batch that holds an offset, by topic, partition and that offset."""
    ghosts: Mapping[tuple[str, int], Sequence[Ghost]]
    """What is gone, by topic and partition."""


NOTHING: Final = Annotations({}, {})


def annotations_of(findings: Iterable[Finding]) -> Annotations:
    """Give what lanes show of findings; of several notes on a batch the first."""
    notes: dict[tuple[str, int, int], str] = {}
    ghosts: dict[tuple[str, int], list[Ghost]] = {}
    for each in findings:
        if each.note:
            notes.setdefault(each.place, each.note)
        if each.ghost is not None:
            ghosts.setdefault((each.topic, each.partition), []).append(each.ghost)
    return Annotations(notes, ghosts)

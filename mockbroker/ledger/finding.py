"""What an assertion has found to be wrong, and how it is told."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

WIDTH: Final = 110
SHOWN_MAX: Final = 10
"""How many findings of an assertion are told one by one; the others are counted."""


class Finding(NamedTuple):
    """One thing that is wrong."""

    text: str
    """What is wrong and where, as a sentence."""
    advice: str = ""
    """What one who reads it might do."""
    topic: str = ""
    partition: int = -1
    base_offset: int = -1
    """The batch that it is about, if there is one; -1 where it has no place in a log."""
    note: str = ""
    """What to write under that batch in its lane."""

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
    parts += [textwrap.fill(f"What to do: {each}", WIDTH) for each in advice]
    return "\n\n".join([*parts, drawing] if drawing else parts)


def _listed(findings: Sequence[Finding]) -> str:
    lines = [
        textwrap.fill(each.text, WIDTH, initial_indent="- ", subsequent_indent="  ")
        for each in findings[:SHOWN_MAX]
    ]
    if len(findings) > SHOWN_MAX:
        lines.append(f"- and {len(findings) - SHOWN_MAX} more")
    return "\n".join(lines)


def notes_of(findings: Iterable[Finding]) -> dict[tuple[str, int, int], str]:
    """Give the notes for the lanes; of several about a batch the first."""
    notes: dict[tuple[str, int, int], str] = {}
    for each in findings:
        if each.note:
            notes.setdefault(each.place, each.note)
    return notes

"""Injected anomalies of a synthetic journal, and the check that an audit finds exactly these."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mockbroker.audit.finding import Finding


class Injected(NamedTuple):
    """An expected finding of an audit."""

    rule: str
    place: str | None
    """The partition; None if it is in none, or in any."""
    seq: int
    """The rows that prove it: some finding has one of them as evidence."""
    last_seq: int

    def is_told_by(self, finding: Finding) -> bool:
        """Return whether a finding is about this anomaly."""
        return (
            finding.rule == self.rule
            and self.place in {None, finding.place}
            and any(self.seq <= seq <= self.last_seq for seq in finding.evidence)
        )


def write_injected(path: Path, injected: Iterable[Injected]) -> None:
    """Write the expected findings."""
    path.write_text(json.dumps(list(injected)), encoding="utf-8")


def read_injected(path: Path) -> list[Injected]:
    """Read the expected findings."""
    said: list[tuple[str, str | None, int, int]] = json.loads(path.read_text(encoding="utf-8"))
    return [Injected(*each) for each in said]


def unmatched(
    injected: Iterable[Injected], findings: Iterable[Finding]
) -> tuple[Sequence[Injected], Sequence[Finding]]:
    """Return the missing findings, and the unexpected ones."""
    left, missed = list(findings), list[Injected]()
    for each in injected:
        found = next((finding for finding in left if each.is_told_by(finding)), None)
        if found is None:
            missed.append(each)
        else:
            left.remove(found)
    return missed, left

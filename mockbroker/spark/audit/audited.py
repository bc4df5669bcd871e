"""What an audit has come to: the verdict on each source, and what could not be judged."""

from dataclasses import dataclass, field
from enum import IntEnum

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.verdict import Verdict
from mockbroker.spark.audit.bad_input import BadInput


class ExitCode(IntEnum):
    """What the command leaves with."""

    CLEAN = 0
    FINDINGS = 1
    BROKEN_INPUT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVerdict:
    """The verdict on one source."""

    source: str
    kind: str
    """`journal` or `topics`."""
    verdict: Verdict
    notes: tuple[str, ...] = ()
    """What is worth knowing and nothing wrong: the journal is still being written, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A finding, and the source that it is in."""

    number: int
    """Counts findings, from 1, in the order in which they are told."""
    source: str
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """The whole of an audit."""

    sources: tuple[SourceVerdict, ...]
    bad: tuple[BadInput, ...] = ()
    fail_on: Severity = Severity.INFO
    ledger: str | None = None
    expected: tuple[str, ...] = field(default=())
    """Rules that the plan of the ledger's load says it breaks."""

    def findings(self) -> list[Placed]:
        """List all findings, source by source, the worst first."""
        pairs = [(each.source, one) for each in self.sources for one in each.verdict.findings]
        return [
            Placed(number=number, source=source, finding=finding)
            for number, (source, finding) in enumerate(pairs, 1)
        ]

    def exit_code(self) -> ExitCode:
        """Return how it ends: broken input comes before findings, for these may be wrong by it."""
        if self.bad or not self.sources:
            return ExitCode.BROKEN_INPUT
        failing = any(each.finding.severity.rank <= self.fail_on.rank for each in self.findings())
        return ExitCode.FINDINGS if failing else ExitCode.CLEAN

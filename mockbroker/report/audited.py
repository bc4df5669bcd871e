"""Result of an audit: the verdict on each source, and the input that could not be judged."""

from dataclasses import dataclass, field
from enum import IntEnum

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.verdict import Verdict
from mockbroker.report.bad_input import BadInput


class ExitCode(IntEnum):
    """Exit code of the command."""

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
    """Remarks that are not findings, such as a journal that is still being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A finding, and its source."""

    number: int
    """Number of the finding, from 1, in the order of the report."""
    source: str
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """Complete result of an audit."""

    sources: tuple[SourceVerdict, ...]
    bad: tuple[BadInput, ...] = ()
    fail_on: Severity = Severity.INFO
    ledger: str | None = None
    expected: tuple[str, ...] = field(default=())
    """Rules that the load breaks by its plan, according to the ledger."""

    def findings(self) -> list[Placed]:
        """Return all findings by source, the most severe first."""
        pairs = [(each.source, one) for each in self.sources for one in each.verdict.findings]
        return [
            Placed(number=number, source=source, finding=finding)
            for number, (source, finding) in enumerate(pairs, 1)
        ]

    @property
    def is_clean(self) -> bool:
        """True if nothing was found, all input was readable, and duplicates were judged."""
        return not self.bad and all(each.verdict.is_clean for each in self.sources)

    def exit_code(self) -> ExitCode:
        """Return the exit code: broken input precedes findings, which it may make wrong."""
        if self.bad or not self.sources:
            return ExitCode.BROKEN_INPUT
        failing = any(each.finding.severity.rank <= self.fail_on.rank for each in self.findings())
        return ExitCode.FINDINGS if failing else ExitCode.CLEAN

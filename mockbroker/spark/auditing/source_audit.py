"""Result of the audit of one source."""

from dataclasses import dataclass

from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput
from mockbroker.spark.auditing.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAudit:
    """The verdict on a source, and its evidence."""

    verdict: SourceVerdict
    evidence: tuple[Evidence, ...]
    """The judged pieces, which are read again around findings."""
    bad: tuple[BadInput, ...] = ()
    identity: str | None = None
    """What identifies records in a journal that has their identities."""

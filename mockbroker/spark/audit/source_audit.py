"""What comes of one source, whatever it is."""

from dataclasses import dataclass

from mockbroker.spark.audit.audited import SourceVerdict
from mockbroker.spark.audit.bad_input import BadInput
from mockbroker.spark.audit.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAudit:
    """The verdict on a source, and what it comes from."""

    verdict: SourceVerdict
    evidence: tuple[Evidence, ...]
    """What was judged, piece by piece, to be read again around findings."""
    bad: tuple[BadInput, ...] = ()

"""Request for an audit, and its frame: each source in turn, judged in this process or by Spark."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from mockbroker.audit.finding import Severity
from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.source import Source, source_of
from mockbroker.spark.report.progress import Progress
from mockbroker.wire.security import PLAINTEXT, Security


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """Sources and options of an audit."""

    sources: Sequence[str]
    out: Path | None = None
    """An existing folder for the results; None to write none."""
    ledger: str | None = None
    """Folder of a load's ledger, on this machine."""
    identity: str | None = None
    """What identifies records, each of which readers should find once; `off` if nothing does."""
    found: str | None = None
    """Parquet with the records that readers found, if the identity is one of its columns."""
    across_topics: bool = False
    """True if each id should be there once in all topics of a source together."""
    security: Security = field(default=PLAINTEXT, repr=False)
    """Security of connections to clusters."""
    fail_on: Severity = Severity.INFO


class JudgedSource(Protocol):
    """What an engine tells of a source."""

    @property
    def verdict(self) -> SourceVerdict:
        """The verdict."""
        ...

    @property
    def bad(self) -> Sequence[BadInput]:
        """Input that could not be judged."""
        ...


Judged = TypeVar("Judged", bound=JudgedSource)


def judge_each(
    request: AuditRequest,
    judge: Callable[[Source], Judged],
    progress: Progress,
    bad: Sequence[BadInput] = (),
) -> tuple[list[Judged], Audited]:
    """Judge all sources; report broken input, also what is known to be, and judge the rest."""
    done: list[Judged] = []
    broken = [*bad]
    for text in dict.fromkeys(request.sources):
        try:
            done.append(judge(source_of(text, request.security)))
        except BadInputError as refused:
            broken.append(refused.bad)
        else:
            broken += done[-1].bad
    for each in broken:
        progress.write_line(str(each))
    verdicts = tuple(each.verdict for each in done)
    return done, Audited(sources=verdicts, bad=tuple(broken), fail_on=request.fail_on)

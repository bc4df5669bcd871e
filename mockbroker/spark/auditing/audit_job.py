"""Audit job: judges all sources, and writes a verdict and three files into a folder."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mockbroker.audit.finding import Severity
from mockbroker.journal.entry import Entry
from mockbroker.journal.record_identity import identity_of
from mockbroker.report.audited import Audited
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.report.timeline_rows import drawn
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.joining import (
    WantedIds,
    joined,
    joined_with_found,
    joined_with_recorded,
    ledger_of,
)
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.source import JournalSource, Source, source_of
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.auditing.topic_audit import audit_topics
from mockbroker.spark.auditing.visible_records import OF_LOADS
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.load.load_ledger_files import LoadLedger
from mockbroker.spark.report.neighbourhood import rows_around
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.results import write_results
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of
from mockbroker.spark.spark_progress import tasks_done
from mockbroker.wire.security import PLAINTEXT, Security


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """Sources and options of an audit."""

    sources: Sequence[str]
    out: Path | None
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


def audit(session: CommandSession, request: AuditRequest, progress: Progress) -> Audited:
    """Audit all sources, and write the results if there is a folder for them.

    Broken input is reported in the result, and the rest is judged.

    Raises:
        OSError: the results cannot be written.

    """
    done: list[SourceAudit] = []
    bad: list[BadInput] = []
    ledger = _ledger(request, bad)
    for text in dict.fromkeys(request.sources):
        try:
            source = source_of(text, request.security)
            each = _audited(session, source, progress)
        except BadInputError as refused:
            bad.append(refused.bad)
            continue
        except SPARK_ERRORS as failed:
            bad.append(_failed(text, failed))
            continue
        bad += each.bad
        each, misfits = _with_ids(
            session, source, each, ledger=ledger, request=request, progress=progress
        )
        bad += misfits
        done.append(each)
    for one in bad:
        progress.write_line(str(one))
    audited = Audited(
        sources=tuple(each.verdict for each in done),
        bad=tuple(bad),
        fail_on=request.fail_on,
        ledger=request.ledger,
        expected=() if ledger is None else tuple(ledger.manifest.expected),
    )
    evidence = {each.verdict.source: each.evidence for each in done}
    if request.out is not None:
        _write(session, request.out, audited, evidence, progress)
    return audited


def _with_ids(
    session: CommandSession,
    source: Source,
    each: SourceAudit,
    *,
    ledger: LoadLedger | None,
    request: AuditRequest,
    progress: Progress,
) -> tuple[SourceAudit, list[BadInput]]:
    """Judge the ids of records, too, if they are wanted."""
    if request.found is not None and request.identity is not None:
        with progress.stage("joining the records that readers found"):
            return joined_with_found(
                session, each, request.found, request.identity, across_topics=request.across_topics
            )
    if ledger is None and isinstance(source, JournalSource):
        return joined_with_recorded(each, request.identity, across_topics=request.across_topics)
    identity = None if request.identity is None else identity_of(request.identity)
    if ledger is None and identity is None:
        verdict = each.verdict.verdict._replace(identity=request.identity)
        return replace(each, verdict=replace(each.verdict, verdict=verdict)), []
    wanted = WantedIds(identity or OF_LOADS, request.across_topics)
    with progress.stage("joining the ids of records"):
        return joined(session, source, each, ledger, wanted)


def _audited(session: CommandSession, source: Source, progress: Progress) -> SourceAudit:
    if isinstance(source, JournalSource):
        return audit_journal(session, source.path, progress)
    return audit_topics(session, source, progress)


def _failed(source: str, failed: BaseException) -> BadInput:
    return BadInput(
        where=source,
        what=f"Spark could not read it: {reason_of(failed)}.",
        advice="Check that the workers can read it, and have enough memory, PyArrow and NumPy.",
    )


def _ledger(request: AuditRequest, bad: list[BadInput]) -> LoadLedger | None:
    if request.ledger is None:
        return None
    try:
        ledger, broken = ledger_of(request.ledger, len(set(request.sources)))
    except BadInputError as refused:
        bad.append(refused.bad)
        return None
    bad += broken
    return ledger


def _write(
    session: CommandSession,
    out: Path,
    audited: Audited,
    evidence: dict[str, tuple[Evidence, ...]],
    progress: Progress,
) -> None:
    findings = audited.findings()
    rows: dict[int, list[Entry]] = {}
    if findings:
        watching = progress.watching(tasks_done(session))
        with progress.stage("reading the rows around findings"), watching:
            rows = rows_around(session.spark, drawn(findings), evidence, _partitions(audited))
    write_results(out, audited, rows)


def _partitions(audited: Audited) -> int:
    return max(each.verdict.counts.partitions for each in audited.sources)

"""Audit job: judges all sources, and writes a verdict and three files into a folder."""

from dataclasses import replace
from pathlib import Path

from mockbroker.journal.entry import Entry
from mockbroker.journal.record_identity import identity_of
from mockbroker.report.audited import Audited
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.report.timeline_rows import drawn
from mockbroker.spark.auditing.audit_request import AuditRequest, judge_each
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.joining import (
    WantedIds,
    joined,
    joined_with_found,
    joined_with_recorded,
    ledger_of,
)
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.source import JournalSource, Source
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


def audit(session: CommandSession, request: AuditRequest, progress: Progress) -> Audited:
    """Audit all sources, and write the results if there is a folder for them.

    Broken input is reported in the result, and the rest is judged.

    Raises:
        OSError: the results cannot be written.

    """
    ledger, bad = _ledger(request)

    def judge(source: Source) -> SourceAudit:
        try:
            each = _audited(session, source, progress)
        except SPARK_ERRORS as failed:
            raise BadInputError(_failed(str(source), failed)) from failed
        each, misfits = _with_ids(
            session, source, each, ledger=ledger, request=request, progress=progress
        )
        return replace(each, bad=(*each.bad, *misfits))

    done, audited = judge_each(request, judge, progress, bad)
    expected = () if ledger is None else tuple(ledger.manifest.expected)
    audited = replace(audited, ledger=request.ledger, expected=expected)
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


def _ledger(request: AuditRequest) -> tuple[LoadLedger | None, list[BadInput]]:
    if request.ledger is None:
        return None, []
    try:
        return ledger_of(request.ledger, len(set(request.sources)))
    except BadInputError as refused:
        return None, [refused.bad]


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

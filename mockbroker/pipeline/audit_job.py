"""The audit as Python calls it: sources in, one verdict out, and three files in a folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mockbroker.audit.finding import Severity
from mockbroker.journal.entry import Entry
from mockbroker.pipeline.audited import Audited, SourceVerdict
from mockbroker.pipeline.bad_input import BadInput, BadInputError
from mockbroker.pipeline.evidence import Evidence
from mockbroker.pipeline.findings_table import write_findings
from mockbroker.pipeline.journal_audit import audit_journal
from mockbroker.pipeline.neighbourhood import drawn, rows_around
from mockbroker.pipeline.pipeline_session import PipelineSession
from mockbroker.pipeline.progress import Progress
from mockbroker.pipeline.report_page import write_report
from mockbroker.pipeline.source import JournalSource, source_of
from mockbroker.pipeline.spark_progress import tasks_done
from mockbroker.pipeline.verdict_document import verdict_document, write_verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What is to be judged."""

    sources: Sequence[str]
    out: Path
    """An existing folder."""
    ledger: str | None = None
    fail_on: Severity = Severity.INFO


def audit(session: PipelineSession, request: AuditRequest, progress: Progress) -> Audited:
    """Judge all sources, and write `findings.parquet`, `verdict.json` and `report.html`.

    What is broken is told in the result, and the rest judged.

    Raises:
        OSError: the results cannot be written.

    """
    verdicts: list[SourceVerdict] = []
    bad: list[BadInput] = []
    evidence: dict[str, tuple[Evidence, ...]] = {}
    for text in dict.fromkeys(request.sources):
        try:
            source = source_of(text)
            assert isinstance(source, JournalSource)
            done = audit_journal(session, source.path, progress)
        except BadInputError as refused:
            bad.append(refused.bad)
            progress.say(str(refused))
            continue
        bad += done.bad
        for each in done.bad:
            progress.say(str(each))
        verdicts.append(done.verdict)
        evidence[done.verdict.source] = done.evidence
    audited = Audited(
        sources=tuple(verdicts), bad=tuple(bad), fail_on=request.fail_on, ledger=request.ledger
    )
    _write(session, request.out, audited, evidence, progress)
    return audited


def _write(
    session: PipelineSession,
    out: Path,
    audited: Audited,
    evidence: dict[str, tuple[Evidence, ...]],
    progress: Progress,
) -> None:
    findings = audited.findings()
    rows: dict[int, list[Entry]] = {}
    if findings:
        watching = progress.watching(tasks_done(session))
        with progress.stage("reading what is around findings"), watching:
            rows = rows_around(drawn(findings), evidence, _partitions(audited))
    write_findings(out, findings)
    write_verdict(out, verdict_document(audited))
    write_report(out, audited, rows)


def _partitions(audited: Audited) -> int:
    return max(each.verdict.counts.partitions for each in audited.sources)

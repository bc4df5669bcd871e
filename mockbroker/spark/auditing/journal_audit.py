"""Audit of a journal's folder: read and judged; broken parts are reported and left out.

The first attempt assumes that all parts are sound. At a broken part, the journal is cut,
and each piece judged independently, because missing rows would look like lost records.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from mockbroker.audit.source import A_JOURNAL
from mockbroker.audit.verdict import merged
from mockbroker.journal.files.jsonl import is_cut_off
from mockbroker.journal.files.manifest import PartSpan
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.journal_remarks import (
    ends_of_evidence,
    left_out,
    missing_rows,
    unended,
    unsound_parts,
)
from mockbroker.spark.auditing.judging import (
    Judged,
    Unread,
    judged,
)
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import (
    JournalFolder,
    Part,
    name_of,
    open_journal,
)
from mockbroker.spark.journal.journal_rows import broken_parts, rows_of, spans_of
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_errors import SPARK_ERRORS

_WHOLE_MAX: Final = 512 << 20
"""Largest file that a worker reads into memory; mockbroker's files are 100 times smaller."""


def audit_journal(session: CommandSession, path: str, progress: Progress) -> SourceAudit:
    """Audit the journal in a folder.

    Raises:
        BadInputError: no part of it can be read.

    """
    with progress.stage(f"looking at {path}"):
        folder = open_journal(session.spark, path)
    size_mb = folder.size_bytes / 1e6
    progress.write_line(f"{path}: {len(folder.parts)} parts, {size_mb:.1f} MB of {folder.format}")
    broken: dict[str, str] = {}
    spans: dict[str, PartSpan] = {}
    while True:
        pieces = folder.stretches(broken, spans)
        evidence = tuple(_evidence(session, folder, parts) for parts in pieces)
        try:
            results = [judged(session, each, progress) for each in evidence]
        except SPARK_ERRORS:
            found = _broken(session, folder, [part for piece in pieces for part in piece], progress)
            if not found:
                raise
            broken |= found
            continue
        unsound = _unsound(folder, [row for each in results for row in each.unread])
        broken |= unsound
        if unsound:
            continue
        short = [] if broken or folder.bad else _short(folder, results)
        if short and not spans:
            spans = _spans(session, folder, progress)
            if folder.gaps(spans):
                continue
        return _result(folder, evidence, results, broken, folder.gaps(spans) or short)


def _short(folder: JournalFolder, results: Sequence[Judged]) -> list[BadInput]:
    """Report missing rows; one that is cut off counts as missing."""
    there = sum(each.verdict.counts.events - len(each.unread) for each in results)
    return missing_rows(folder.path, there, folder.row_count)


def _spans(
    session: CommandSession, folder: JournalFolder, progress: Progress
) -> dict[str, PartSpan]:
    with progress.stage(f"looking for where rows are missing in {folder.path}"):
        return spans_of(session.spark, folder)


def _evidence(session: CommandSession, folder: JournalFolder, parts: Sequence[Part]) -> Evidence:
    is_parquet = folder.format == "parquet"
    are_small = is_parquet and all(each.size_bytes < _WHOLE_MAX for each in parts)
    return Evidence(
        rows=partial(rows_of, session.spark, folder, parts),
        source=A_JOURNAL,
        parts=tuple(parts) if are_small else (),
    )


def _broken(
    session: CommandSession, folder: JournalFolder, parts: Sequence[Part], progress: Progress
) -> dict[str, str]:
    with progress.stage(f"looking for what cannot be read in {folder.path}"):
        return broken_parts(session.spark, folder, parts, progress.update)


def _unsound(folder: JournalFolder, unread: Sequence[Unread]) -> dict[str, str]:
    """Return the parts with invalid rows by their paths, except for a last line that is cut off."""
    paths = {name_of(part.path): part.path for part in folder.parts}
    rows = [(name_of(each.path), each.text) for each in unread]
    of_last = [row for row in rows if row[0] == name_of(folder.parts[-1].path)]
    # Spark does not tell where the row was
    if folder.format == "jsonl" and len(of_last) == 1 and is_cut_off(of_last[0][1] or ""):
        rows.remove(of_last[0])
    unsound = unsound_parts(folder.format, list(paths), rows)
    return {paths[name]: reason for name, reason in unsound.items()}


def _result(
    folder: JournalFolder,
    evidence: tuple[Evidence, ...],
    results: Sequence[Judged],
    broken: dict[str, str],
    gaps: Sequence[BadInput],
) -> SourceAudit:
    bad = [
        *folder.bad,
        *gaps,
        *(
            left_out(path, reason, len(folder.parts), is_ordered=folder.is_ordered)
            for path, reason in sorted(broken.items())
        ),
    ]
    if not results:
        raise BadInputError(bad[0])
    verdict = SourceVerdict(
        source=folder.path,
        kind="journal",
        verdict=merged([each.verdict for each in results]),
        notes=ends_of_evidence(
            is_closed=folder.is_closed,
            is_cut_off=any(each.unread for each in results),
            pieces=len(results),
            dropped_count=folder.dropped_count,
        ),
    )
    bad += unended(folder.path, verdict.verdict.open_transactions)
    return SourceAudit(verdict=verdict, evidence=evidence, bad=tuple(bad), identity=folder.identity)

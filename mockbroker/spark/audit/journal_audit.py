"""Audit of a journal's folder: read, folded and judged; broken parts are reported and left out.

The first attempt assumes that all parts are sound. At a broken part, the journal is cut,
and each piece judged independently, because missing rows would look like lost records.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from mockbroker.audit.source import A_JOURNAL
from mockbroker.audit.verdict import merged
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.audit.evidence import Evidence
from mockbroker.spark.audit.journal_remarks import CUT_OFF, NOT_CLOSED, in_pieces, unended
from mockbroker.spark.audit.judging import (
    Judged,
    Unread,
    judged,
)
from mockbroker.spark.audit.source_audit import SourceAudit
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import (
    JournalFolder,
    Part,
    name_of,
    open_journal,
)
from mockbroker.spark.journal.journal_rows import broken_parts, rows_of
from mockbroker.spark.journal.part_order import PartOrder, part_order
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_errors import SPARK_ERRORS

_WHOLE_MAX: Final = 512 << 20
"""Largest file that a worker reads into memory; mockbroker's files are 100 times smaller."""
_ADVICE: Final = "Write or copy the file again, and audit again."


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
    while True:
        pieces = folder.stretches(broken)
        evidence = tuple(_evidence(session, folder, parts, progress) for parts in pieces)
        try:
            results = [judged(session, each, progress) for each in evidence]
        except SPARK_ERRORS:
            found = _broken(session, folder, [part for piece in pieces for part in piece], progress)
            if not found:
                raise
            broken |= found
            continue
        unsound = _unsound(folder, [row for each in results for row in each.unread])
        if not unsound:
            return _result(folder, evidence, results, broken)
        broken |= unsound


def _evidence(
    session: CommandSession, folder: JournalFolder, parts: Sequence[Part], progress: Progress
) -> Evidence:
    ordered, is_parquet = PartOrder(tuple(parts)), folder.format == "parquet"
    if is_parquet and len(parts) > 1:
        with progress.stage(f"looking at the order of {len(parts)} parts"):
            ordered = part_order(session.spark, parts)
    are_small = is_parquet and all(each.size_bytes < _WHOLE_MAX for each in parts)
    return Evidence(
        rows=partial(rows_of, session.spark, folder, ordered.parts),
        source=A_JOURNAL,
        parts=ordered.parts if are_small and not ordered.scattered_rows else (),
        scattered_rows=ordered.scattered_rows,
    )


def _broken(
    session: CommandSession, folder: JournalFolder, parts: Sequence[Part], progress: Progress
) -> dict[str, str]:
    with progress.stage(f"looking for what cannot be read in {folder.path}"):
        return broken_parts(session.spark, folder, parts, progress.update)


def _unsound(folder: JournalFolder, unread: Sequence[Unread]) -> dict[str, str]:
    """Return the parts with invalid rows, except for a truncated last line."""
    by_file: dict[str, list[Unread]] = {}
    for each in unread:
        by_file.setdefault(name_of(each.path), []).append(each)
    last = name_of(folder.parts[-1].path)
    if folder.format == "jsonl" and _is_cut_off(by_file.get(last, [])):
        del by_file[last]
    if folder.format == "parquet":
        return {
            part.path: rows[0].text or "its rows are not entries of a journal"
            for part in folder.parts
            if (rows := by_file.get(name_of(part.path)))
        }
    return {
        part.path: f"{len(rows):,} of its rows are not entries of a journal{_first(rows)}"
        for part in folder.parts
        if (rows := by_file.get(name_of(part.path)))
    }


def _is_cut_off(rows: Sequence[Unread]) -> bool:
    return len(rows) == 1 and rows[0].text is not None and not rows[0].text.endswith("}")


def _first(rows: Sequence[Unread]) -> str:
    text = rows[0].text
    return "" if text is None else f", the first: {text[:60]!r}"


def _result(
    folder: JournalFolder,
    evidence: tuple[Evidence, ...],
    results: Sequence[Judged],
    broken: dict[str, str],
) -> SourceAudit:
    bad = [
        *folder.bad,
        *(_left_out(folder, path, reason) for path, reason in sorted(broken.items())),
    ]
    if not results:
        raise BadInputError(bad[0])
    verdict = SourceVerdict(
        source=folder.path,
        kind="journal",
        verdict=merged([each.verdict for each in results]),
        notes=tuple(_notes(folder, results)),
    )
    bad += unended(folder.path, verdict.verdict.open_transactions)
    return SourceAudit(verdict=verdict, evidence=evidence, bad=tuple(bad), identity=folder.identity)


def _left_out(folder: JournalFolder, path: str, reason: str) -> BadInput:
    costs = "the parts before and after it are judged separately"
    if any(part.number is None for part in folder.parts):
        costs = "nothing is judged, since its rows could be missing anywhere"
    elif len(folder.parts) == 1:
        costs = "no other part can be judged"
    return BadInput(where=path, what=f"It cannot be read ({reason}): {costs}.", advice=_ADVICE)


def _notes(folder: JournalFolder, results: Sequence[Judged]) -> list[str]:
    notes: list[str] = []
    if not folder.is_closed:
        notes.append(NOT_CLOSED)
    if any(each.unread for each in results):
        notes.append(CUT_OFF)
    if len(results) > 1:
        notes.append(in_pieces(len(results)))
    return notes

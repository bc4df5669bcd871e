"""Audit of journals and topics in this process: by the same rules as with Spark, without Java."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from mockbroker.audit.identity.found_rows import column_of, found_in_parquet
from mockbroker.audit.identity.recorded_ids import COLUMNS, with_ids, with_recorded_ids
from mockbroker.audit.local import audit_folder
from mockbroker.audit.verdict import Verdict, merged
from mockbroker.cli.audit.nearby_rows import rows_nearby
from mockbroker.cli.audit.sound_pieces import (
    ends_with_a_line,
    parts_with_bad_lines,
    parts_without_an_end,
    sound_pieces,
)
from mockbroker.events.progress_bar import Advance
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.files.manifest import MANIFEST, Manifest, parts_of
from mockbroker.journal.record_identity import OFF
from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.report.timeline_rows import drawn, nearest
from mockbroker.spark.auditing.audit_request import AuditRequest, judge_each
from mockbroker.spark.auditing.journal_remarks import (
    ends_of_evidence,
    judged_identity,
    missing_rows,
    unended,
    unread_table,
)
from mockbroker.spark.auditing.source import JournalSource, Source, TopicSource
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.results import write_results
from mockbroker.spark.topics.topics_in_process import audit_source

_ADVICE: Final = "Write or copy it again, and audit again."


def audit(request: AuditRequest, progress: Progress) -> Audited:
    """Judge each source, and write the results if there is a folder for them.

    Broken input is reported in the result. Parts before and after it are judged separately: missing
    rows would look like lost records. A ledger is not joined: that needs Spark.

    Raises:
        ImportError: a journal is Parquet, which needs the extra `spark`.
        OSError: the results cannot be written.

    """

    def judge(source: Source) -> _Judged:
        with progress.stage(f"judging {source}"):
            if isinstance(source, JournalSource):
                return _journal(source.path, request, progress)
            return _topics(source, request)

    done, audited = judge_each(request, judge, progress)
    if request.out is not None:
        write_results(request.out, audited, _rows(audited, done, progress))
    return audited


class _Judged(NamedTuple):
    verdict: SourceVerdict
    bad: Sequence[BadInput]
    entries: Sequence[Entry] | None = None
    """The rows, unless they are in a journal."""


def _topics(topics: TopicSource, request: AuditRequest) -> _Judged:
    identity = None if column_of(request.identity) else request.identity
    done = audit_source(topics, identity, across_topics=request.across_topics)
    verdict, bad = _with_found(request, done.verdict.verdict, lambda: done.entries)
    return _Judged(replace(done.verdict, verdict=verdict), [*done.bad, *bad], done.entries)


def _journal(source: str, request: AuditRequest, progress: Progress) -> _Judged:
    """Judge one journal.

    Raises:
        BadInputError: there is none, or nothing of it can be judged.

    """
    folder = Path(source)
    manifest = _manifest(folder)
    pieces, verdicts, bad = _in_pieces(folder, manifest, progress)
    verdict = merged(verdicts)
    bad = bad or missing_rows(source, verdict.counts.events, manifest.row_count)
    if column_of(request.identity):
        rows = partial(read_journal, folder, columns=COLUMNS)
        verdict, misfits = _with_found(request, verdict, rows)
    else:
        verdict, misfits = _with_recorded(folder, manifest, request, pieces, verdict)
    is_cut_off = _is_cut_off(folder, manifest)
    notes = ends_of_evidence(
        is_closed=manifest.is_closed,
        is_cut_off=is_cut_off,
        pieces=len(verdicts),
        dropped_count=manifest.dropped_count,
    )
    judged = SourceVerdict(source=source, kind="journal", verdict=verdict, notes=notes)
    return _Judged(judged, [*bad, *misfits, *unended(source, verdict.open_transactions)])


def _with_found(
    request: AuditRequest, verdict: Verdict, read_rows: Callable[[], Iterable[Entry]]
) -> tuple[Verdict, list[BadInput]]:
    """Judge the ids in a column of what readers found, if that is wanted."""
    column = column_of(request.identity)
    if request.found is None or column is None:
        return verdict, []
    try:
        found = found_in_parquet(request.found, column)
    except (OSError, ValueError) as error:
        return verdict, [unread_table(request.found, str(error))]
    named = str(request.identity)
    return with_ids(verdict, found, read_rows, named, across_topics=request.across_topics), []


def _with_recorded(
    folder: Path,
    manifest: Manifest,
    request: AuditRequest,
    pieces: Sequence[Sequence[Path] | None],
    verdict: Verdict,
) -> tuple[Verdict, list[BadInput]]:
    """Judge the identities of records that the journal has, if any."""
    identity, misfits = judged_identity(str(folder), manifest.identity, request.identity)
    verdict = verdict._replace(identity=identity)
    if identity not in {None, OFF}:
        verdict = with_recorded_ids(
            verdict, folder, pieces, str(identity), across_topics=request.across_topics
        )
    return verdict, misfits


def _in_pieces(
    folder: Path, manifest: Manifest, progress: Progress
) -> tuple[list[list[Path] | None], list[Verdict], list[BadInput]]:
    """Judge the pieces of a journal without its unsound parts, which are found when one fails.

    Raises:
        BadInputError: nothing of it can be judged.

    """

    def reading(size: int) -> AbstractContextManager[Advance]:
        return progress.counting(size, "B")

    unsound = parts_without_an_end(folder, manifest)
    while True:
        pieces, bad = sound_pieces(folder, manifest, unsound)
        try:
            verdicts = [audit_folder(folder, reading=reading, parts=each) for each in pieces]
            broken = [text for each in verdicts for text in each.broken]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            verdicts, broken = [], [f"its rows do not fit together ({error!r})"]
        if not broken:
            return pieces, verdicts, bad
        found = parts_with_bad_lines(folder, manifest)
        if found.keys() <= unsound.keys():
            what = f"It is damaged: {'; '.join(broken)}. Nothing of it is judged."
            raise _refusal(str(folder), what, _ADVICE)
        unsound = found


def _manifest(folder: Path) -> Manifest:
    try:
        return Manifest.read(folder)
    except FileNotFoundError:
        there = f"There is no {MANIFEST} in it, so that it is no journal."
        what = there if folder.is_dir() else "There is no such folder."
        advice = "Name a folder that `--journal` or Cluster(journal=...) has written."
        raise _refusal(str(folder), what, advice) from None
    except OSError as error:
        raise _refusal(str(folder), f"It cannot be read: {error.strerror}.", _ADVICE) from None
    except json.JSONDecodeError:
        raise _refusal(f"{folder}/{MANIFEST}", "It is no journal's manifest.", _ADVICE) from None
    except (ValueError, KeyError, TypeError) as error:
        advice = "Audit it with the mockbroker that has written it."
        raise _refusal(str(folder), f"{error}.", advice) from None


def _is_cut_off(folder: Path, manifest: Manifest) -> bool:
    """Return True if the last line has no end, as a killed process leaves it."""
    parts = parts_of(folder, manifest.format)
    return manifest.format == "jsonl" and not ends_with_a_line(parts[-1])


def _rows(
    audited: Audited, judged: Sequence[_Judged], progress: Progress
) -> dict[int, list[Entry]]:
    findings = drawn(audited.findings())
    if not findings:
        return {}
    rows: dict[int, list[Entry]] = {}
    with progress.stage("reading the rows around findings"):
        for verdict, _, entries in judged:
            of_source = [placed for placed in findings if placed.source == verdict.source]
            if entries is None:
                count = verdict.verdict.counts.partitions
                rows |= rows_nearby(Path(verdict.source), of_source, count)
            else:
                rows |= {each.number: nearest(each.finding, entries) for each in of_source}
    return rows


def _refusal(where: str, what: str, advice: str) -> BadInputError:
    return BadInputError(BadInput(where=where, what=what, advice=advice))

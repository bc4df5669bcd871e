"""The audit in this process: of a cluster's journal, or of a journal's folder.

Rows become runs, and one loop judges them in order. With numpy and pyarrow (extra `spark`) a folder
is judged in shards, so that the memory does not grow with it, and a regular call becomes one run.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from mockbroker.audit.identity.recorded_ids import present_spans
from mockbroker.audit.identity.stored_copies import batches_in, proved, ranges_of
from mockbroker.audit.judgement import judge
from mockbroker.audit.reading import Reading, size_of, unseen
from mockbroker.audit.rules.records.load_rules import GIVEN, NOTHING_WAITS, Found, Sent, judge_load
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.journal import Journal

_SHARDS: Final = "mockbroker.audit.shards.local_shards"
"""Imported when it is needed: it needs numpy and pyarrow (extra `spark`)."""
ARROW_FROM: Final = 20_000
"""From how many entries on it is quicker to judge them from a table, where that is installed."""


def audit_folder(
    folder: str | Path,
    source: Source = A_JOURNAL,
    thresholds: Thresholds = THRESHOLDS,
    reading: Reading = unseen,
    parts: Sequence[Path] | None = None,
) -> Verdict:
    """Judge the journal in a folder, or consecutive parts of it.

    `reading` reports how much was read.

    Raises:
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.
        ImportError: it is Parquet, which needs the extra `spark`.

    """
    with reading(size_of(folder)) as advance:
        if not has_arrow():
            numbers = count()
            read = zip(read_journal(folder, advance, parts), numbers, strict=False)
            judged = judge(journal_runs(row for row, _ in read), source, thresholds)
            return judged._replace(counts=judged.counts._replace(events=next(numbers)))
        shards = import_module(_SHARDS)
        verdict: Verdict = shards.judge_folder(
            folder, source, thresholds, advance=advance, parts=parts
        )
        return verdict


class ComparedIds(NamedTuple):
    """Ids of records, as far as a caller has them, for `judge_load`."""

    sent: Iterable[Sent] | None = None
    found: Iterable[Found] | None = None
    identity: str | None = None
    """What the ids are; `off` if records have none."""
    across_topics: bool = False
    waiting: Mapping[tuple[str, int], int] = NOTHING_WAITS
    """The offsets from which open transactions kept them from being found."""

    @property
    def are_given(self) -> bool:
        """True if there is anything to compare."""
        return self.sent is not None or self.found is not None


NO_IDS: Final = ComparedIds()


def audit_journal(journal: Journal, ids: ComparedIds = NO_IDS) -> Verdict:
    """Judge all entries of a cluster's journal, or those that are left, with what is not known.

    Ids of records are joined, if there are any.

    Raises:
        RuntimeError: the journal has never been on.

    """
    verdict = _judged(journal)
    if not ids.are_given:
        return verdict._replace(identity=ids.identity)
    entries = journal.entries()
    joined = judge_load(
        verdict,
        ids.sent,
        ids.found,
        ids.waiting,
        identity=GIVEN if ids.identity is None else ids.identity,
        across_topics=ids.across_topics,
        spans=present_spans(entries),
    )
    if not ranges_of(joined.findings):
        return joined
    return joined._replace(findings=proved(joined.findings, batches_in(entries)))


def _judged(journal: Journal) -> Verdict:
    dropped = journal.dropped
    if dropped and journal.folder is not None and not journal.is_on:
        return audit_folder(journal.folder)
    if not dropped and len(journal) >= ARROW_FROM and has_arrow():
        of_table: Verdict = import_module(_SHARDS).judge_table(journal.table())
        return of_table
    entries = journal.entries()
    verdict = judge(journal_runs(entries), A_JOURNAL._replace(events=len(entries)))
    if not dropped:
        return verdict
    begin = f"before entry {entries[0].seq}" if entries else "so far"
    told = f"what happened {begin}: memory dropped {dropped} entries of the journal"
    return verdict._replace(unknown=(told, *verdict.unknown))


def has_arrow() -> bool:
    """Return whether numpy and pyarrow are installed, without importing them."""
    return all(find_spec(name) is not None for name in ("numpy", "pyarrow"))

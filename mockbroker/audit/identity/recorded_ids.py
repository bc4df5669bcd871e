"""Ids of the records in a journal that read_committed consumers could read.

A journal that was told what identifies records has their identities in its appends. A record counts
if its transaction was committed and it was not truncated; one that was deleted later counts, too. A
reset of the cluster begins another life of it, with other records.
"""

import json
from bisect import bisect, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

from mockbroker.audit.identity.stored_copies import batches_in, proved, ranges_of
from mockbroker.audit.log_facts import NOBODY
from mockbroker.audit.rules.records.load_rules import EVERYWHERE, Found, Span, judge_load
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import RESET, exact_kind
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import read_journal
from mockbroker.protocol.types import NO_PRODUCER_ID

COLUMNS: Final = (
    *("seq", "kind", "topic", "partition", "leader_epoch", "client_id", "virtual_time_ms"),
    *("producer_id", "producer_epoch", "is_transactional", "is_duplicate", "marker"),
    *("base_offset", "last_offset", "log_end_offset", "record_ids", "broker", "detail"),
)
"""The columns that tell which records are visible, and the batches in which they are."""
CUTS: Final = frozenset({"truncation", "topic_deleted", "leader", "event"})
"""The kinds of rows that remove records, or after which a broker stores what is in no log, or among
which resets are."""


LAST: Final = 1 << 62
"""The end of the span of rows that still come."""
_Place = tuple[str | None, int | None]


class RecordedId(NamedTuple):
    """A record with an id, at its position, and the row of its batch."""

    topic: str
    partition: int
    offset: int
    record_id: str
    seq: int
    leader_epoch: int
    life: int = 0
    """How many resets of the cluster were before."""


class Cut(NamedTuple):
    """Removal of the records from an offset on, of one leader epoch, one partition, or a topic."""

    seq: int
    topic: str | None
    partition: int | None
    leader_epoch: int | None
    offset: int

    def removes(self, record: RecordedId) -> bool:
        """Return whether a record that was stored before is removed."""
        return (
            record.seq < self.seq
            and record.topic == self.topic
            and self.partition in {None, record.partition}
            and self.leader_epoch in {None, record.leader_epoch}
            and record.offset >= self.offset
        )


class Election(NamedTuple):
    """Election of a leader."""

    seq: int
    leader_epoch: int


class Cuts:
    """All removals of records in a journal, or in a part of one, and all elections."""

    def __init__(self, rows: Iterable[Entry] = ()) -> None:
        """Note rows of the kinds `CUTS`."""
        self._of: Final[defaultdict[str | None, list[Cut]]] = defaultdict(list)
        self._elections: Final[defaultdict[_Place, list[Election]]] = defaultdict(list)
        self._resets: Final[list[int]] = []
        for each in rows:
            self.note(each)

    def note(self, row: Entry) -> None:
        """Note what a row removes, if anything.

        A broker that rejoins removes what it had stored alone: the row has its leader epoch.
        """
        if row.kind == "leader" and row.broker != NOBODY:
            election = Election(row.seq, -1 if row.leader_epoch is None else row.leader_epoch)
            self._elections[row.topic, row.partition].append(election)
        elif row.kind in {"truncation", "topic_deleted"}:
            cut = Cut(row.seq, row.topic, row.partition, row.leader_epoch, row.log_end_offset or 0)
            self._of[row.topic].append(cut)
        elif row.kind == "event" and exact_kind(run_of(row)) == RESET:
            insort(self._resets, row.seq)

    def life(self, seq: int) -> int:
        """Return how many resets were before a row."""
        return bisect(self._resets, seq)

    def leave(self, record: RecordedId) -> bool:
        """Return whether a record was stored in the log, and not removed."""
        cuts = self._of.get(record.topic, ())
        is_removed = any(cut.removes(record) and self.life(cut.seq) == record.life for cut in cuts)
        return not is_removed and not self._is_stale(record)

    def _is_stale(self, record: RecordedId) -> bool:
        """Return whether a leader stored a record after another one had replaced it."""
        elections = self._elections.get((record.topic, record.partition), ())
        newer = [
            each.seq
            for each in elections
            if each.seq < record.seq and each.leader_epoch > record.leader_epoch >= 0
        ]
        if not newer:
            return False
        deletions = (cut.seq for cut in self._of.get(record.topic, ()) if cut.partition is None)
        begins = (seq for seq in (*deletions, *self._resets) if seq < record.seq)
        created = max(begins, default=0)
        return max(newer) > created


def stored_ids(rows: Iterable[Entry], cuts: Cuts) -> Iterator[RecordedId]:
    """Yield the records that are not aborted, from rows that are in order within each partition.

    `cuts` knows the resets before each row.
    """
    waiting: defaultdict[tuple[str | None, int | None, int | None], list[RecordedId]]
    waiting = defaultdict(list)
    for row in rows:
        place = row.topic, row.partition, row.producer_id
        if row.kind == "marker":
            ended = waiting.pop(place, ())
            if row.marker == "COMMIT":
                yield from (each for each in ended if each.life == cuts.life(row.seq))
        elif row.kind == "append" and row.record_ids is not None and not row.is_duplicate:
            if row.is_transactional and row.producer_id != NO_PRODUCER_ID:
                waiting[place] += _records(row, cuts.life(row.seq))
            else:
                yield from _records(row, cuts.life(row.seq))


def _records(row: Entry, life: int) -> Iterator[RecordedId]:
    record_ids = cast("list[str | None]", json.loads(row.record_ids or "[]"))
    for offset, record_id in enumerate(record_ids, row.base_offset or 0):
        if record_id is not None:
            yield RecordedId(
                row.topic or "", row.partition or 0, offset, record_id, row.seq,
                -1 if row.leader_epoch is None else row.leader_epoch, life,
            )  # fmt: skip


def ids_among(rows: Iterable[Entry]) -> list[RecordedId]:
    """Return the visible records of a journal, or of a part of one, from its rows in order."""
    cuts = Cuts()

    def with_cuts_noted() -> Iterator[Entry]:
        for row in rows:
            cuts.note(row)
            yield row

    return [each for each in list(stored_ids(with_cuts_noted(), cuts)) if cuts.leave(each)]


def with_recorded_ids(
    verdict: Verdict,
    folder: Path,
    pieces: Sequence[Sequence[Path] | None],
    identity: str,
    *,
    across_topics: bool = False,
) -> Verdict:
    """Judge a journal in a folder by the ids that it has, too.

    Each piece of it is judged separately, and so is each life of the cluster.

    Raises:
        ImportError, OSError, ValueError: as `read_journal`.

    """
    found = [ids_among(read_journal(folder, parts=each, columns=COLUMNS)) for each in pieces]
    for parts, ids in zip(pieces, found, strict=True):
        for alike in by_life(ids):
            rows = partial(_rows_with, alike, folder, parts)
            verdict = with_ids(
                verdict,
                alike,
                rows,
                identity,
                across_topics=across_topics,
                has_ids=any(found),
                spans=spans_of(alike),
            )
    return verdict


def by_life(ids: Sequence[RecordedId]) -> list[list[RecordedId]]:
    """Divide ids by the lives of the cluster; the result has at least one item."""
    of_life: defaultdict[int, list[RecordedId]] = defaultdict(list)
    for each in ids:
        of_life[each.life].append(each)
    return [*of_life.values()] or [[]]


def span_of(ids: Sequence[RecordedId]) -> tuple[int, int]:
    """Return the first and the last number of the rows with ids."""
    seqs = [each.seq for each in ids]
    return min(seqs, default=0), max(seqs, default=0)


def spans_of(ids: Iterable[RecordedId]) -> dict[str, Span]:
    """Return the span of the rows with ids of each topic."""
    spans: dict[str, Span] = {}
    for each in ids:
        first, last = spans.get(each.topic, (each.seq, each.seq))
        spans[each.topic] = min(first, each.seq), max(last, each.seq)
    return spans


def present_spans(rows: Iterable[Entry]) -> dict[str, Span]:
    """Return the span of the rows about each topic that was created again, as it is now."""
    topics: set[str] = set()
    spans: dict[str, Span] = {}
    for row in rows:
        if row.kind == "topic_deleted" and row.topic is not None:
            spans[row.topic] = row.seq, LAST
        elif row.kind == "event" and exact_kind(run_of(row)) == RESET:
            spans.update(dict.fromkeys(topics, (row.seq, LAST)))
        elif row.topic is not None:
            topics.add(row.topic)
    return spans


def _rows_with(
    ids: Sequence[RecordedId], folder: Path, parts: Sequence[Path] | None
) -> Iterator[Entry]:
    first, last = span_of(ids)
    rows = read_journal(folder, parts=parts, columns=COLUMNS)
    return (row for row in rows if first <= row.seq <= last)


def with_ids(
    verdict: Verdict,
    found: Iterable[Found],
    read_rows: Callable[[], Iterable[Entry]],
    identity: str,
    *,
    across_topics: bool = False,
    has_ids: bool | None = None,
    spans: Mapping[str, Span] = EVERYWHERE,
) -> Verdict:
    """Judge by ids that were found, too; `read_rows` reads the rows of the batches around them."""
    joined = judge_load(
        verdict,
        None,
        found,
        identity=identity,
        across_topics=across_topics,
        has_ids=has_ids,
        spans=spans,
    )
    if not ranges_of(joined.findings):
        return joined
    return joined._replace(findings=proved(joined.findings, batches_in(read_rows())))

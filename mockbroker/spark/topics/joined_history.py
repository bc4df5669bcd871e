"""Batches of topics and changes of transactional ids, in one order in which they can have happened.

Each log has its own order. A batch of a transaction comes after the change that added its partition
and before the decision; a marker comes between the decision and the end. A batch that belongs to no
transaction comes as early as its log allows, so that nothing is said to be later than it was.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

from mockbroker.audit.words import place_text
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.types import TopicPartition
from mockbroker.spark.topics.logged_transactions import (
    IdHistory,
    LoggedTransaction,
    ending_markers,
    matched_markers,
)
from mockbroker.spark.topics.transaction_evidence import Place, partitions_detail
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.wire.transactions import TransactionChange

_NEVER: Final = 1 << 62
_NEWER_CLIENTS: Final = 2
"""Transaction version from which on every end has a new epoch (KIP-890)."""
_CONTRADICTED: Final = (
    "{}: whether its batches and markers are in order, as logs contradict one another"
)
_WITH_GAPS: Final = (
    "{}: whether batches and markers are in order, as compaction has removed some; whether"
    " transactions hang is known"
)


class JoinedHistory(NamedTuple):
    """Rows of topics and of the coordinators' log, in a common order."""

    entries: Sequence[Entry]
    left_out: tuple[str, ...]
    """Transactional ids without a place: they ended transactions while the logs were read, or their
    batches arrived late."""


def without_order(left_out: Iterable[str], with_gaps: Iterable[Place]) -> list[str]:
    """Describe what is unknown of transactional ids without a place, and of logs with gaps."""
    of_logs = (_WITH_GAPS.format(place_text(each)) for each in sorted(with_gaps))
    return [*(_CONTRADICTED.format(name) for name in left_out), *of_logs]


class _Row(NamedTuple):
    """A row of a topic's log, and its place among the changes of an id."""

    entry: Entry
    history: int | None = None
    after: int | None = None
    """The change that it follows."""
    before: int | None = None
    """The change that it precedes."""
    begun: int | None = None
    """The change that began its transaction, perhaps in other partitions."""
    is_exact: bool = True
    """False if it is not sure that it is harmful where it has no place."""


def logs_with_gaps(rows: Iterable[Entry], producers: Container[int]) -> frozenset[Place]:
    """Return the logs in which some producers have transactions, and of which records are missing.

    Compaction removes markers, too, so that those that are left cannot be counted. `rows` are all
    rows of the logs, each in order.
    """
    ends: dict[Place, int] = {}
    found: set[Place] = set()
    concerned: set[Place] = set()
    for row in rows:
        place = row.topic or "", row.partition or 0
        if (row.base_offset or 0) > ends.get(place, row.log_start_offset or 0):
            found.add(place)
        ends[place] = (row.last_offset or 0) + 1
        if row.producer_id in producers and (row.marker or row.is_transactional):
            concerned.add(place)
    return frozenset(found & concerned)


def joined_history(
    rows: Sequence[Entry],
    changes: Iterable[TransactionChange],
    settled: Mapping[int, int],
    with_gaps: Container[Place] = frozenset(),
) -> JoinedHistory:
    """Return the rows with those changes that concern their producers, in a common order.

    The rows of a partition are in the order of its log. `settled` has, by partition, the end of the
    coordinators' log before the ends of the topics' logs were read. The rows of `logs_with_gaps`
    come before all changes.
    """
    by_id: defaultdict[str, list[TransactionChange]] = defaultdict(list)
    for change in changes:
        of_id = by_id[change.transactional_id]
        if change.value is None and (not of_id or of_id[-1].value is None):
            continue  # nothing is known of what expired, or it is logged again
        of_id.append(change)
    wanted = {row.producer_id for row in rows}
    concerned = {
        name: of_id
        for name, of_id in by_id.items()
        if any(each.value is not None and each.value.producer_id in wanted for each in of_id)
    }
    left_out: set[str] = set()
    while True:
        histories = [
            IdHistory(of_id, settled) for name, of_id in concerned.items() if name not in left_out
        ]
        vague: set[int] = set()
        merge = _Merge(_placed(rows, histories, with_gaps, vague), histories)
        entries = list(merge)
        vague |= merge.vague
        if not vague:
            return JoinedHistory(entries, tuple(sorted(left_out)))
        left_out |= {histories[number].changes[0].transactional_id for number in vague}


# The place of each row


def _placed(
    rows: Sequence[Entry],
    histories: Sequence[IdHistory],
    with_gaps: Container[Place],
    vague: set[int],
) -> dict[Place, list[_Row]]:
    """Return the places of rows; add the ids to `vague` whose markers are not all in a log."""
    owners = {
        change.value.producer_id: number
        for number, history in enumerate(histories)
        for change in history.changes
        if change.value is not None
    }
    by_place: dict[tuple[str, int], list[_Row]] = {}
    of_producers: defaultdict[tuple[str, int, int], list[int]] = defaultdict(list)
    for row in rows:
        place = row.topic or "", row.partition or 0
        log = by_place.setdefault(place, [])
        is_its = row.producer_id in owners and place not in with_gaps
        if is_its and (row.marker or row.is_transactional):
            of_producers[*place, row.producer_id or 0].append(len(log))
        log.append(_Row(row))
    for (topic, partition, producer_id), numbers in of_producers.items():
        owner = owners[producer_id]
        log = by_place[topic, partition]
        of_producer = _ProducerLog(histories[owner], TopicPartition(topic, partition), producer_id)
        entries = [log[number].entry for number in numbers]
        if of_producer.lacks_markers(entries):
            vague.add(owner)
        placed = of_producer.rows(entries, owner)
        for number, each in zip(numbers, placed, strict=True):
            log[number] = each
    return by_place


class _ProducerLog:
    """The batches and markers of one producer in one partition."""

    def __init__(self, history: IdHistory, place: TopicPartition, producer_id: int) -> None:
        self._history = history
        self._place = place
        self._transactions = [
            each
            for each in history.transactions
            if each.producer_id == producer_id and place in each.added
        ]

    def lacks_markers(self, entries: Sequence[Entry]) -> bool:
        """Return whether the log has lost markers: its tail, or what it was before a deletion."""
        settled = sum(each.is_settled and each.prepared is not None for each in self._transactions)
        is_whole = entries[0].log_start_offset == 0
        return is_whole and settled > sum(each.marker is not None for each in entries)

    def rows(self, entries: Sequence[Entry], owner: int) -> Iterator[_Row]:
        """Yield the rows with their places among the changes."""
        markers = [each for each in entries if each.marker is not None]
        decided = [each for each in self._transactions if each.prepared is not None]
        is_whole = self._history.is_whole and entries[0].log_start_offset == 0
        ending = ending_markers(entries)
        found, is_exact = matched_markers(decided, markers, is_whole=is_whole, ending=ending)
        alone = ((at, each) for at, each in enumerate(markers) if at not in found)
        early = {at: own for at, each in alone if (own := self._open_at(each.virtual_time_ms))}
        first = 0 if self._history.is_whole else min((*found, *early), default=len(markers))
        number, last = 0, None
        for entry in entries:
            own = found.get(number) if number < len(markers) else self._undecided(last)
            if number in early:
                row = self._early(entry, owner, early[number])
            elif number < first and number not in found and number < len(markers):
                row = _Row(entry, owner, before=0)
            else:
                row = self._row(entry, owner, own, last)
            # What is late and rolled back does no harm if it belonged to what was rolled back.
            is_sure = is_exact and (own is None or own.marker != "ABORT")
            yield row._replace(is_exact=is_sure)
            if entry.marker is not None:
                last, number = found.get(number, last), number + 1

    def _open_at(self, time_ms: int) -> LoggedTransaction | None:
        """Return the transaction that was open in this partition at a time of the brokers."""
        changes = self._history.changes
        for each in self._transactions:
            added = each.added[self._place]
            is_begun = added is not None and changes[added].timestamp_ms < time_ms
            if is_begun and (each.prepared is None or time_ms < each.prepared_ms):
                return each
        return None

    def _early(self, entry: Entry, owner: int, own: LoggedTransaction) -> _Row:
        """Place a batch or a marker that no coordinator decided, while a transaction was open."""
        added, by_hand = own.added[self._place], _perhaps_by_hand(entry)
        return _Row(by_hand, owner, added, own.prepared, own.begun)

    def _undecided(self, last: LoggedTransaction | None) -> LoggedTransaction | None:
        """Return the transaction after the last one that has a marker here."""
        at = 0 if last is None else self._transactions.index(last) + 1
        if last is None and self._transactions:
            at = len(self._transactions) - 1
        return self._transactions[at] if at < len(self._transactions) else None

    def _row(
        self,
        entry: Entry,
        owner: int,
        own: LoggedTransaction | None,
        last: LoggedTransaction | None,
    ) -> _Row:
        if own is not None and entry.marker is not None:
            return _Row(entry, owner, own.prepared, own.complete)
        if own is not None and _may_be_in(own, entry):
            return _Row(entry, owner, own.added[self._place], own.prepared, own.begun)
        before = None if last is None or last.complete is None else last.complete + 1
        is_known = before != len(self._history.changes)
        return _Row(_perhaps_by_hand(entry), owner, before=before if is_known else None)


def _perhaps_by_hand(entry: Entry) -> Entry:
    """Take an abort that no coordinator decided for one by `kafka-transactions.sh abort`."""
    return entry._replace(api=ApiKey.WRITE_TXN_MARKERS) if entry.marker == "ABORT" else entry


def _may_be_in(own: LoggedTransaction, entry: Entry) -> bool:
    """Return whether a batch belongs to a transaction, or was fenced and is rolled back with it."""
    own_epoch, producer_epoch = own.batch_epoch, entry.producer_epoch or 0
    if own_epoch is None or own_epoch == producer_epoch:
        return True
    return own.marker == "ABORT" and producer_epoch < own_epoch


# The common order


class _Merge:
    """Merge of all logs; iterable once."""

    def __init__(
        self, logs: Mapping[tuple[str, int], Sequence[_Row]], histories: Sequence[IdHistory]
    ) -> None:
        self._logs: Final = logs
        self._histories: Final = histories
        self._reached: Final = dict.fromkeys(logs, 0)
        self._done: Final = [-1] * len(histories)
        """The last change of each id that has its place in the order."""
        self._awaited: Final[defaultdict[tuple[int, int], int]] = defaultdict(int)
        """Number of rows that precede a change."""
        self._waiting: Final[defaultdict[int, set[tuple[str, int]]]] = defaultdict(set)
        self._free: Final[list[tuple[int, int]]] = []
        self.vague: Final[set[int]] = set()
        """Ids whose rows have perhaps the wrong place, so that there is no common order."""
        for rows in logs.values():
            for row in rows:
                if row.history is not None and row.before is not None:
                    self._awaited[row.history, row.before] += 1

    def __iter__(self) -> Iterator[Entry]:
        for number in range(len(self._histories)):
            self._release(number)
        for place in self._logs:
            yield from self._drained(place)
        while self._free or self._is_blocked:
            if not self._free:
                late = self._late()
                if late is None:
                    return
                yield from self._drained(late, is_late=True)
                continue
            _, number = heappop(self._free)
            self._done[number] += 1
            yield _transition(self._histories[number].changes, self._done[number])
            self._release(number)
            for place in self._waiting.pop(number, ()):
                yield from self._drained(place)

    @property
    def _is_blocked(self) -> bool:
        return any(self._reached[place] < len(rows) for place, rows in self._logs.items())

    def _late(self) -> tuple[str, int] | None:
        """Return the log whose next batch is not between the changes where it should be.

        It was stored before its partition was added to its transaction; or that began later, as a
        later marker in the same log shows. If neither is so, `vague` has the ids whose rows have no
        place.
        """
        heads = {
            place: rows[self._reached[place]]
            for place, rows in self._logs.items()
            if self._reached[place] < len(rows)
        }
        begun_ms = {
            place: self._begun_ms(row)
            for place, row in heads.items()
            if row.is_exact and row.entry.marker is None
        }
        late = [place for place, time_ms in begun_ms.items() if time_ms > self._marked_ms(place)]
        early = [place for place, time_ms in begun_ms.items() if time_ms < 0]
        if early or late:
            return max(early or late, key=lambda place: (begun_ms[place], place))
        self.vague.update(row.history for row in heads.values() if row.history is not None)
        return None

    def _marked_ms(self, place: tuple[str, int]) -> int:
        """Return the time of the earliest marker after the next row of a log."""
        later = self._logs[place][self._reached[place] + 1 :]
        times = (row.entry.virtual_time_ms for row in later if row.entry.marker is not None)
        return min(times, default=_NEVER)

    def _begun_ms(self, row: _Row) -> int:
        """Return the time at which a batch's transaction will begin; -1 if it has begun."""
        assert row.history is not None, row
        if row.begun is None or row.begun <= self._done[row.history]:
            return -1
        return self._histories[row.history].changes[row.begun].timestamp_ms

    def _drained(self, place: tuple[str, int], *, is_late: bool = False) -> Iterator[Entry]:
        rows = self._logs[place]
        while self._reached[place] < len(rows):
            row = rows[self._reached[place]]
            if row.history is not None:
                if not is_late and row.after is not None and row.after > self._done[row.history]:
                    self._waiting[row.history].add(place)
                    return
                if row.before is not None:
                    self._awaited[row.history, row.before] -= 1
                    self._release(row.history, row.before)
            self._reached[place] += 1
            is_late = False
            yield row.entry

    def _release(self, number: int, change: int | None = None) -> None:
        """Note that the next change of an id may come, if no row has to precede it."""
        coming = self._done[number] + 1
        changes = self._histories[number].changes
        is_next = change in {None, coming} and coming < len(changes)
        if is_next and not self._awaited[number, coming]:
            heappush(self._free, (changes[coming].timestamp_ms, number))


def _transition(changes: Sequence[TransactionChange], number: int) -> Entry:
    change = changes[number]
    before = changes[number - 1].value if number else None
    value = change.value
    known = value or before
    return Entry(
        seq=0,
        kind="transaction",
        wall_time_us=change.timestamp_ms * 1000,
        virtual_time_ms=change.timestamp_ms,
        api=_api(changes, number),
        transactional_id=change.transactional_id,
        producer_id=None if known is None else known.producer_id,
        producer_epoch=None if known is None else known.producer_epoch,
        coordinator_epoch=change.coordinator_epoch,
        state_before=None if before is None else TransactionState(before.state).state_name,
        state_after=None if value is None else TransactionState(value.state).state_name,
        detail=None if value is None else partitions_detail(value.partitions),
    )


def _api(changes: Sequence[TransactionChange], number: int) -> ApiKey | None:
    """Return the request that must have led to a change, which matters for its epoch."""
    value = changes[number].value
    if value is None or value.state == TransactionState.ONGOING:
        return None
    if value.state == TransactionState.EMPTY:
        return ApiKey.INIT_PRODUCER_ID
    before = changes[number - 1].value if number else None
    is_bumped = before is not None and value.producer_epoch > before.producer_epoch
    is_newer = before is not None and before.client_transaction_version >= _NEWER_CLIENTS
    return ApiKey.INIT_PRODUCER_ID if is_bumped and not is_newer else ApiKey.END_TXN

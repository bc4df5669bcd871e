"""Acquisition of fetched records by a member of a share group (KIP-932, KIP-1206).

Records that were delivered often are delivered in smaller and smaller numbers, and at last alone,
so that one bad record does not archive its neighbours. The limits are those of Kafka 4.4.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final, NamedTuple

from mockbroker.state.share.aborted_batches import (
    AbortedTransaction,
    FetchedBatch,
    aborted_batches,
    without_batches,
)
from mockbroker.state.share.acquired_records import AcquiredRecords, joined
from mockbroker.state.share.in_flight_batch import InFlightBatch
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import RecordState, ShareAcquireMode
from mockbroker.state.share.share_partition import SharePartition

THROTTLED_DELIVERIES_MIN: Final = 2


class ShareFetchLimits(NamedTuple):
    """What a member asks for in a ShareFetch."""

    member_id: str
    records_max: int
    batch_size: int
    """Records in a batch of acquired records, which may end later, with a batch of the log."""
    mode: ShareAcquireMode = ShareAcquireMode.BATCH_OPTIMIZED


def acquire(
    partition: SharePartition,
    limits: ShareFetchLimits,
    fetched: Sequence[FetchedBatch],
    *,
    fetch_offset: int,
    now_ms: int,
    aborted: Sequence[AbortedTransaction] = (),
) -> list[AcquiredRecords]:
    """Acquire what is available of the records that were fetched from `fetch_offset` on.

    `aborted` are the aborted transactions for a group that reads committed records only: their
    records are archived and not delivered.
    """
    if not fetched or limits.records_max <= 0 or fetched[-1].last_offset < partition.start_offset:
        return []
    acquisition = _Acquisition(partition, limits, fetched, fetch_offset, now_ms)
    if acquisition.remaining <= 0:
        return []
    acquired = acquisition.run()
    if not aborted or not acquired:
        return acquired
    removed = aborted_batches(fetched, aborted)
    for batch in removed:
        partition.delivery_complete_count += partition.archive(
            batch.base_offset, batch.last_offset, RecordState.ACQUIRED
        )
    return without_batches(acquired, removed)


def throttled_deliveries(delivery_count_max: int) -> int:
    """Return the delivery count from which on fewer records are delivered together."""
    return max(THROTTLED_DELIVERIES_MIN, ceil(delivery_count_max / 2))


class _Acquisition:
    """One run over the in-flight batches and the new records."""

    __slots__ = (
        "_acquired",
        "_fetched",
        "_first",
        "_last",
        "_limits",
        "_now_ms",
        "_partition",
        "_throttled",
        "remaining",
    )

    def __init__(
        self,
        partition: SharePartition,
        limits: ShareFetchLimits,
        fetched: Sequence[FetchedBatch],
        fetch_offset: int,
        now_ms: int,
    ) -> None:
        self._partition: Final = partition
        self._limits: Final = limits
        self._fetched: Final = fetched
        self._now_ms: Final = now_ms
        self._throttled: Final = throttled_deliveries(partition.settings.delivery_count_max)
        self._acquired: Final[list[AcquiredRecords]] = []
        self._first = fetched[0].base_offset
        self._last = fetched[-1].last_offset
        room = partition.settings.in_flight_records_max - partition.in_flight_records
        self.remaining = min(limits.records_max, room)
        """The number of records that may still be acquired."""
        if self.remaining <= 0 and fetch_offset <= partition.end_offset:
            # The window is full, but records in it were released.
            self.remaining = min(limits.records_max, partition.end_offset - fetch_offset + 1)
            self._last = min(self._last, partition.end_offset)
        self._archive_stale_batches(fetch_offset)

    @property
    def _has_record_limit(self) -> bool:
        return self._limits.mode is ShareAcquireMode.RECORD_LIMIT

    def _archive_stale_batches(self, fetch_offset: int) -> None:
        """Archive available records that the log did not return, as after compaction."""
        if len(self._partition.batches) and fetch_offset < self._first:
            self._partition.delivery_complete_count += self._partition.archive(
                fetch_offset, self._first - 1, RecordState.AVAILABLE
            )

    def run(self) -> list[AcquiredRecords]:
        partition = self._partition
        base_offset = self._first
        floor = partition.batches.floor(base_offset)
        if floor is None:
            base_offset = max(base_offset, partition.start_offset)
        elif floor.last_offset >= base_offset:
            base_offset = floor.first_offset
        in_flight = partition.batches.between(min(self._first, base_offset), self._last)
        if not in_flight:
            self._acquire_new(base_offset, self._last)
            return self._acquired
        self._acquire_in_flight(base_offset, in_flight)
        last_offset = in_flight[-1].last_offset
        if self.remaining > 0 and last_offset < self._last:
            self._acquire_new(last_offset + 1, self._last)
        if self._acquired:
            partition.gap_acquired_to(self._acquired[-1].last_offset + 1)
        return self._acquired

    def _acquire_in_flight(self, base_offset: int, in_flight: Iterable[InFlightBatch]) -> None:
        next_offset = base_offset
        for batch in in_flight:
            if self.remaining <= 0:
                return
            if self._partition.active_gap is not None:
                if next_offset < batch.first_offset:
                    self._acquire_new(next_offset, batch.first_offset - 1)
                next_offset = batch.last_offset + 1
                if self.remaining <= 0:
                    return
            is_throttled = self._is_throttled(batch)
            if is_throttled and self._acquired:
                self.remaining = 0
                return
            if self._acquire_batch(batch, is_throttled=is_throttled) and is_throttled:
                self.remaining = 0

    def _acquire_batch(self, batch: InFlightBatch, *, is_throttled: bool) -> bool:
        """Acquire what is available of a batch; return whether something was."""
        exceeds = self._has_record_limit and len(batch) > self.remaining
        is_whole = batch.is_within(self._first, self._last) and not exceeds and not is_throttled
        if batch.offsets is None:
            if not batch.is_acquirable:
                return False
            if is_whole:
                self._acquire_state(batch.first_offset, batch.last_offset, batch.state)
                count = batch.state.delivery_count
                self._acquired.append(AcquiredRecords(batch.first_offset, batch.last_offset, count))
                self.remaining -= len(batch)
                return True
            self._partition.split(batch)
        offsets = self._acquire_offsets(batch)
        self._acquired.extend(joined(offsets))
        self.remaining -= len(offsets)
        return bool(offsets)

    def _acquire_state(self, first: int, last: int, state: InFlightState) -> None:
        is_acquired = state.acquire(self._limits.member_id)
        assert is_acquired, state.as_text()
        state.lock = self._partition.lock(first, last, self._now_ms)

    def _available(self, batch: InFlightBatch) -> list[tuple[int, InFlightState]]:
        return [
            (max(first, self._first), state)
            for first, last, state in batch.states()
            if last >= self._first and first <= self._last and state.is_acquirable
        ]

    def _is_throttled(self, batch: InFlightBatch) -> bool:
        counts = (state.delivery_count for _, state in self._available(batch))
        return max(counts, default=0) >= self._throttled

    def _acquire_offsets(self, batch: InFlightBatch) -> list[AcquiredRecords]:
        delivery_count_max = self._partition.settings.delivery_count_max
        has_last_attempt = delivery_count_max > THROTTLED_DELIVERIES_MIN
        acquired: list[AcquiredRecords] = []
        number_max: int | None = None
        for offset, state in self._available(batch):
            count = state.delivery_count
            is_last_attempt = has_last_attempt and count == delivery_count_max - 1
            if is_last_attempt and acquired:
                break
            if count >= self._throttled and number_max is None:
                number_max = max(1, len(batch) >> (count - self._throttled + 1))
            self._acquire_state(offset, offset, state)
            acquired.append(AcquiredRecords(offset, offset, state.delivery_count))
            if (
                is_last_attempt
                or (self._has_record_limit and len(acquired) == self.remaining)
                or len(acquired) == number_max
            ):
                break
        return acquired

    # New records

    def _acquire_new(self, first: int, last: int) -> None:
        partition = self._partition
        if not len(partition.batches):
            first = max(first, partition.end_offset)
        upper = last
        if self.remaining < last - first + 1:
            last = self._end_of_batch(first + self.remaining - 1)
            if partition.active_gap is not None:
                last = min(last, upper)
        acquired = self._add_batches(first, last)
        if partition.batches.first.first_offset == first:
            partition.start_offset = first
        partition.end_offset = max(partition.end_offset, last)
        if self._has_record_limit:
            last = acquired[0].last_offset
        partition.gap_acquired_to(last + 1)
        self._acquired.extend(acquired)
        self.remaining -= last - first + 1

    def _end_of_batch(self, offset: int) -> int:
        """Return the last offset of the fetched batch that contains an offset."""
        for batch in self._fetched:
            if batch.base_offset <= offset <= batch.last_offset:
                return batch.last_offset
        return offset

    def _add_batches(self, first: int, last: int) -> list[AcquiredRecords]:
        if self._has_record_limit and last - first + 1 > self.remaining:
            return [self._add_limited_batch(first, last)]
        member_id, partition = self._limits.member_id, self._partition
        added = [AcquiredRecords(begin, end, 1) for begin, end in self._ranges(first, last)]
        for begin, end, count in added:
            lock = partition.lock(begin, end, self._now_ms)
            state = InFlightState(RecordState.ACQUIRED, count, member_id, lock)
            partition.batches.add(InFlightBatch(begin, end, state))
        return added

    def _ranges(self, first: int, last: int) -> list[tuple[int, int]]:
        """Cut a range at the first batch of the log after each `batch_size` records."""
        ranges: list[tuple[int, int]] = []
        batch_size = self._limits.batch_size
        if not self._has_record_limit and last - first + 1 > batch_size:
            for batch in self._fetched:
                if batch.base_offset > last:
                    break
                if batch.base_offset - first >= batch_size:
                    ranges.append((first, batch.base_offset - 1))
                    first = batch.base_offset
        return [*ranges, (first, last)]

    def _add_limited_batch(self, first: int, last: int) -> AcquiredRecords:
        """Add a batch of which only the first offsets are acquired."""
        partition = self._partition
        end = first + self.remaining - 1
        batch = InFlightBatch(first, last, InFlightState(RecordState.AVAILABLE, 0))
        partition.split(batch)
        for offset, _, state in batch.states():
            if offset <= end:
                self._acquire_state(offset, offset, state)
        partition.batches.add(batch)
        partition.search_next_fetch_offset()
        return AcquiredRecords(first, end, 1)

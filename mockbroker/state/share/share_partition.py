"""A partition as a share group sees it: the window of records in flight (KIP-932).

The window is Kafka's `SharePartition`: records before `start_offset` are done, those up to
`end_offset` are in flight, each with a delivery state, and those after it were never acquired.

Rules:

1. The partition neither reads records nor writes its state. `acquisition` is told what was fetched;
   `acknowledgement` and `expire_locks` return a `StateChange`, which the caller writes to the share
   coordinator before it calls `complete`.
2. Acquisition locks are deadlines of the partition: the caller asks for the next one, and calls
   `expire_locks` then. Locks with equal deadlines expire in the order in which they began.
3. After a coordinator's state was loaded, offsets between its batches are a gap that was never
   acquired (`GapWindow`); the start offset does not move past it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.dead_letters.dead_letter import ArchivingBatch
from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause as _Cause
from mockbroker.state.share.in_flight_batch import (
    GapWindow,
    InFlightBatch,
    InFlightBatches,
    StateChange,
    as_written,
)
from mockbroker.state.share.in_flight_state import AcquisitionLock, AcquisitionLocks, InFlightState
from mockbroker.state.share.record_state import RecordState
from mockbroker.state.share.share_settings import ShareSettings
from mockbroker.state.share.state_batch import StateBatch


class SharePartition:
    """In-flight records of one group in one partition. All times are in ms since 1970."""

    __slots__ = (
        "_find_next_fetch_offset",
        "_gap_window",
        "_locks",
        "archiving",
        "batches",
        "delivery_complete_count",
        "end_offset",
        "settings",
        "start_offset",
        "state_epoch",
    )

    def __init__(
        self,
        start_offset: int,
        *,
        state_epoch: int = 0,
        loaded: Iterable[StateBatch] = (),
        settings: ShareSettings | None = None,
    ) -> None:
        """Begin with the state that was read from the share coordinator.

        `start_offset` is the stored one, or that of `share.auto.offset.reset` for a group that has
        none. `settings` may be replaced at any time.

        Raises:
            ApiError: UNKNOWN_SERVER_ERROR if the stored state contradicts itself.

        """
        self.settings = settings or ShareSettings()
        self.start_offset = start_offset
        self.end_offset = start_offset
        self.state_epoch: Final = state_epoch
        self.batches: Final = InFlightBatches()
        self.delivery_complete_count = 0
        """Counts the acknowledged and archived records from the start offset on (KIP-1226)."""
        self.archiving: Final[list[ArchivingBatch]] = []
        """The batches that are to be written to the dead-letter queue now."""
        self._find_next_fetch_offset = False
        self._gap_window: GapWindow | None = None
        self._locks: Final = AcquisitionLocks()
        self._load(loaded)

    def _load(self, loaded: Iterable[StateBatch]) -> None:
        gap_offset: int | None = None
        next_offset = self.start_offset
        for first, last, state, count in loaded:
            if first < self.start_offset or last < first:
                raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"invalid batch {first}-{last}")
            if gap_offset is None and first > next_offset:
                gap_offset = next_offset
            next_offset = last + 1
            batch = InFlightBatch(first, last, InFlightState(RecordState(state), count))
            self.batches.add(batch)
            if batch.state.state is RecordState.ARCHIVING:
                is_last = count >= self.settings.delivery_count_max
                cause = _Cause.DELIVERY_COUNT_EXCEEDED if is_last else _Cause.CLIENT_REJECT
                self.archiving.append(ArchivingBatch(first, last, batch.state, cause))
            if batch.state.state.is_terminal:
                self.delivery_complete_count += len(batch)
        if not len(self.batches):
            return
        self._find_next_fetch_offset = True
        self.end_offset = self.batches.last.last_offset
        if gap_offset is not None:
            self._gap_window = GapWindow(gap_offset, self.end_offset)
        self.move_start_offset()

    # The window

    @property
    def active_gap(self) -> GapWindow | None:
        """The gaps in the loaded state, until all are acquired or new records are."""
        window = self._gap_window
        return window if window is not None and window.end_offset == self.end_offset else None

    @property
    def in_flight_records(self) -> int:
        """The number of offsets in the window."""
        return self.end_offset - self.start_offset + 1 if len(self.batches) else 0

    @property
    def can_acquire_records(self) -> bool:
        """True if records were released, or the window has room for new ones."""
        if self.next_fetch_offset() != self.end_offset + 1:
            return True
        return self.in_flight_records < self.settings.in_flight_records_max

    def search_next_fetch_offset(self) -> None:
        """Search the window for available records at the next fetch."""
        self._find_next_fetch_offset = True

    def next_fetch_offset(self) -> int:
        """Return the offset of the first record that can be acquired."""
        if not len(self.batches) or self.start_offset > self.batches.last.last_offset:
            self._find_next_fetch_offset = False
            return self.end_offset
        if self._find_next_fetch_offset:
            found = self._first_available()
            if found is not None:
                return found
            self._find_next_fetch_offset = False
        return self.end_offset + 1

    def _first_available(self) -> int | None:
        gap = self.active_gap
        gap_offset = None if gap is None else gap.start_offset
        for batch in self.batches:
            if gap_offset is not None:
                if batch.first_offset > gap_offset:
                    return gap_offset
                gap_offset = max(batch.last_offset + 1, gap_offset)
            for first, _, state in batch.states():
                if state.is_acquirable:
                    return first
        return None

    def gap_acquired_to(self, offset: int) -> None:
        """Move the gap to the next offset that was not acquired, or forget it after its end."""
        gap = self.active_gap
        if gap is not None and offset <= gap.end_offset:
            gap.start_offset = offset
        else:
            self._gap_window = None

    def begins_within(self, first_offset: int, last_offset: int) -> bool:
        """Return whether the start offset has moved into a range, after its first offset."""
        return first_offset < self.start_offset <= last_offset

    def count_from_start(self, first_offset: int, last_offset: int) -> int:
        """Count the offsets of a range that are in the window."""
        return max(0, last_offset - max(self.start_offset, first_offset) + 1)

    def move_start_offset(self) -> bool:
        """Move the start offset past the records that are done; return whether it could move."""
        if not self._begins_with_done():
            return False
        done, done_count = self._last_done()
        if done is None:
            return False
        if done == self.batches.last.last_offset:
            self.start_offset = self.end_offset = done + 1
            self.batches.clear()
            self.delivery_complete_count = 0
            return True
        batch = self.batches.floor(done)
        assert batch is not None, done
        if done == batch.last_offset:
            following = self.batches.higher(done)
            assert following is not None, done
            self.start_offset = max(self.start_offset, following.first_offset)
            if (gap := self.active_gap) is not None:
                self.start_offset = min(gap.start_offset, self.start_offset)
            self.batches.remove_before(following.first_offset)
        else:
            self.start_offset = max(self.start_offset, done + 1)
            self.batches.remove_before(batch.first_offset)
        self.delivery_complete_count -= done_count
        return True

    def _begins_with_done(self) -> bool:
        first = self.batches.floor(self.start_offset)
        if first is None:
            # The window begins with a gap.
            return False
        # An offset after the batch is in a gap; Kafka looks at the state of the batch then.
        state = first.state_at(min(self.start_offset, first.last_offset))
        return not state.in_transition and state.state.is_terminal

    def _last_done(self) -> tuple[int | None, int]:
        """Return the end of the done records at the start, and their number in the window."""
        done: int | None = None
        number = 0
        gap = self.active_gap
        for batch in self.batches:
            if gap is not None and batch.last_offset >= gap.start_offset:
                break
            for first, last, state in batch.states():
                if state.in_transition or not state.state.is_terminal:
                    return done, number
                done = last
                number += self.count_from_start(first, last)
        return done, number

    # Locks

    def lock(self, first_offset: int, last_offset: int, now_ms: int) -> AcquisitionLock:
        """Begin an acquisition lock of the usual duration."""
        expires_ms = now_ms + self.settings.lock_duration_ms
        return self._locks.begin(first_offset, last_offset, expires_ms)

    def split(self, batch: InFlightBatch) -> None:
        """Give each offset of a batch its own state and its own lock, with the same expiry."""
        if batch.offsets is not None:
            return
        state = batch.state
        whole = state.lock
        batch.split(
            {
                offset: state.copy(
                    None if whole is None else self._locks.begin(offset, offset, whole.expires_ms)
                )
                for offset in range(batch.first_offset, batch.last_offset + 1)
            }
        )
        state.clear_lock()

    def next_deadline_ms(self) -> int | None:
        """Return the time at which the next lock expires, or None."""
        return self._locks.next_deadline_ms()

    def expire_locks(self, now_ms: int) -> Iterator[StateChange]:
        """Release the records whose locks have expired by `now_ms`, with one change per lock.

        Each change is to be written and completed before the next one is asked for.
        """
        while (deadline_ms := self.next_deadline_ms()) is not None and deadline_ms <= now_ms:
            yield from self._expire(self._locks.pop())

    def end_locks(self, member_id: str | None = None) -> Iterator[StateChange]:
        """Let all locks expire before their time, or those of a member, as `expire_locks` does."""
        for lock in self._locks.in_order():
            if not lock.is_cancelled and member_id in (None, self._holder(lock)):
                yield from self._expire(lock)

    def _holder(self, lock: AcquisitionLock) -> str | None:
        batch = self.batches.floor(lock.first_offset)
        return None if batch is None else batch.state_at(lock.first_offset).member_id

    def _expire(self, lock: AcquisitionLock) -> Iterator[StateChange]:
        lock.has_expired = lock.is_cancelled = True
        released = list(self._released(lock))
        if released:
            yield self.change([as_written(*each) for each in released])._replace(
                archiving=[
                    ArchivingBatch(*each, _Cause.DELIVERY_COUNT_EXCEEDED)
                    for each in released
                    if each[2].state is RecordState.ARCHIVING
                ]
            )

    def _released(self, lock: AcquisitionLock) -> Iterator[tuple[int, int, InFlightState]]:
        floor = self.batches.floor(lock.first_offset)
        if floor is None:
            return
        for batch in self.batches.between(floor.first_offset, lock.last_offset):
            if self.begins_within(batch.first_offset, batch.last_offset):
                self._split_acquired(batch)
            for first, last, state in batch.states():
                # A lock of one offset does not release the rest of its batch.
                is_locked = batch.offsets is None or (
                    lock.first_offset <= first <= lock.last_offset
                )
                is_acquired = state.state is RecordState.ACQUIRED
                if is_locked and is_acquired and self._release(first, last, state):
                    yield first, last, state

    def _split_acquired(self, batch: InFlightBatch) -> None:
        if batch.offsets is None and batch.state.state is RecordState.ACQUIRED:
            self.split(batch)

    def _release(self, first: int, last: int, state: InFlightState) -> bool:
        settings, new_state = self.settings, self.state_after_release(last)
        last_state = settings.state_after_last_delivery
        if not state.release(new_state, settings.delivery_count_max, last_state):
            return False
        state.clear_lock()
        if state.state is RecordState.AVAILABLE:
            self.search_next_fetch_offset()
        elif state.state.is_terminal:
            self.delivery_complete_count += self.count_from_start(first, last)
        return True

    def state_after_release(self, last_offset: int) -> RecordState:
        """Return the state of released records: those before the window are archived."""
        if last_offset < self.start_offset:
            return RecordState.ARCHIVED
        return RecordState.AVAILABLE

    # Changes

    def change(
        self, batches: Sequence[StateBatch], transitions: Sequence[InFlightState] = ()
    ) -> StateChange:
        """Return a change of states together with the window as it is now."""
        return StateChange(batches, transitions, self.start_offset, self.delivery_complete_count)

    def complete(self, change: StateChange, *, is_written: bool) -> None:
        """Keep a change that was written, or revert one that could not be."""
        for state, batch in zip(change.transitions, change.batches, strict=False):
            state.complete_transition(keep=is_written)
            if state.state is RecordState.AVAILABLE:
                self.search_next_fetch_offset()
            was_done = RecordState(batch.delivery_state).is_terminal
            if was_done and not state.state.is_terminal:
                self.delivery_complete_count -= self.count_from_start(*batch[:2])
        if is_written or not change.transitions:
            self.move_start_offset()
            self.archiving.extend(change.archiving)

    def archived(self, batch: ArchivingBatch) -> StateChange:
        """Archive a batch that was written to the dead-letter queue, or could not be."""
        batch.state.archive()
        first, last = batch.first_offset, batch.last_offset
        self.delivery_complete_count += self.count_from_start(first, last)
        return self.change([as_written(first, last, batch.state)])

    # The log start offset

    def log_start_moved(self, log_start_offset: int) -> None:
        """Archive the available records that the log does not have any more.

        Acquired records stay acquired, so that acknowledgements of them are accepted.
        """
        if log_start_offset <= self.start_offset:
            return
        if not len(self.batches):
            self.start_offset = self.end_offset = log_start_offset
            self.delivery_complete_count = 0
            return
        done = sum(
            self.count_from_start(first, min(last, log_start_offset - 1))
            for batch in self.batches.between(0, log_start_offset - 1)
            for first, last, state in batch.states()
            if first < log_start_offset and state.state.is_terminal
        )
        self.archive(self.start_offset, log_start_offset - 1, RecordState.AVAILABLE)
        self.start_offset = log_start_offset
        self.delivery_complete_count -= done
        self.end_offset = max(self.end_offset, self.start_offset)

    def archive(self, first_offset: int, last_offset: int, state: RecordState) -> int:
        """Archive the records of a range that are in a state; return their number."""
        number = 0
        floor = self.batches.floor(first_offset)
        begin = first_offset if floor is None else floor.first_offset
        for batch in self.batches.between(begin, last_offset):
            if batch.offsets is None and not batch.is_within(first_offset, last_offset):
                if batch.last_offset < first_offset or batch.state.state is not state:
                    continue
                self.split(batch)
            for first, last, each in batch.states():
                if first_offset <= first <= last_offset and each.state is state:
                    each.archive()
                    number += last - first + 1
        if number:
            self.search_next_fetch_offset()
        return number

    def as_text(self) -> list[str]:
        """Show the window in a stable form."""
        window = f"{self.start_offset} to {self.end_offset}, {self.delivery_complete_count} done"
        return [f"window {window}"] + [
            f"{first}-{last} {state.as_text()}"
            for batch in self.batches
            for first, last, state in batch.states()
        ]

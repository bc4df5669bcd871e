"""The log of one partition: append, read, and where it starts, is stable and ends.

The laws:

1. `log_start_offset <= high_watermark <= log_end_offset`; only `log_truncation` sets them back. The
   last stable offset is not beyond the high watermark, nor before the log's first batch.
2. A batch is stored by reference and never parsed. Its base offset is the log's end at the append;
   whoever appended it writes that into the bytes at once. The header is not kept and not changed.
3. Check everything, then change: a refused append leaves the log as it was. (It may have made other
   logs give back what their retention had left over.)
4. Reading returns whole batches. The first one contains the offset that was asked for.
5. A retry of one of its producer's last five batches is answered with that batch's offset and
   timestamp and not appended, even where that offset is before the log's start by now.
6. The last stable offset stays at the first record of the oldest transaction that is open, or whose
   marker the high watermark has not passed.
"""

from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    TopicPartition,
)
from mockbroker.state.clock import ClientClock
from mockbroker.state.log import log_deletion
from mockbroker.state.log.leader_epoch_cache import EpochEndOffset, LeaderEpochCache
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.log_offset_snapshot import LogOffsetSnapshot
from mockbroker.state.log.log_segments import LogSegments
from mockbroker.state.log.log_slice import LogSlice
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.observation import Observation
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_state_entry import BatchMetadata
from mockbroker.state.producer.producer_state_manager import ProducerStateManager
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn, TransactionIndex
from mockbroker.state.producer.verification_state_entry import VerificationGuard

_STAMPED: Final = 0x08
"""The attribute of a batch whose timestamp the broker has set (LogAppendTime)."""


class PartitionLog:
    """The batches of one partition, its offsets, producers and leader epochs (`UnifiedLog`).

    Read its attributes and never set them; `log_truncation` and `high_watermark` do.
    The high watermark follows the log's end by itself, as with replicas that are always in sync,
    until `hold_high_watermark()`; from then on `advance_high_watermark()` moves it.
    """

    __slots__ = (
        "_budget",
        "_leader_epoch",
        "config",
        "follows_log_end",
        "high_watermark",
        "leader_epochs",
        "log_end_offset",
        "log_start_offset",
        "observation",
        "producers",
        "segments",
        "timestamp_shifts",
        "topic_partition",
        "transaction_index",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        config: LogConfig,
        *,
        budget: MemoryBudget,
        producer_options: ProducerStateOptions,
        now_ms: int,
        observation: Observation | None = None,
        clients: ClientClock | None = None,
    ) -> None:
        """Start empty at offset 0, and take part in `budget`; `clients` stamp by their clock."""
        self.topic_partition = topic_partition
        self.config = config
        self._budget = budget
        self.observation = observation or Observation()
        self.timestamp_shifts = TimestampShifts(clients)
        self.producers = ProducerStateManager(producer_options, self.timestamp_shifts)
        self.transaction_index = TransactionIndex()
        self.leader_epochs = LeaderEpochCache()
        self._leader_epoch = self.leader_epochs.latest_epoch
        self.log_start_offset = 0
        self.high_watermark = 0
        self.log_end_offset = 0
        self.follows_log_end = True
        self.segments = LogSegments(config, budget, now_ms=now_ms)
        budget.register(self)

    def append(
        self,
        header: BatchHeader,
        data: Buffer,
        *,
        leader_epoch: int,
        now_ms: int,
        verification_guard: VerificationGuard | None = None,
        is_from_client: bool = True,
    ) -> LogAppendInfo:
        """Append a batch whose bytes were validated, or find that it is a retry.

        The first batch of a transaction needs the guard from `maybe_start_verification`. What a
        group coordinator writes for a producer is not from a client: it has no sequence.

        Raises:
            ApiError: RECORD_LIST_TOO_LARGE, INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER,
                UNKNOWN_PRODUCER_ID, INVALID_TXN_STATE, KAFKA_STORAGE_ERROR.

        """
        if len(data) > self.config.segment_bytes:
            raise self.segments.too_large(self.topic_partition.topic, len(data))
        shift_ms = self.timestamp_shifts.of_next(header, is_from_client=is_from_client)
        if header.producer_id <= NO_PRODUCER_ID:
            return self._append_checked(header, data, leader_epoch, now_ms, shift_ms)
        producers = self.producers
        checked = producers.check(header, verification_guard, is_from_client=is_from_client)
        if isinstance(checked, BatchMetadata):
            return LogAppendInfo.of_retry(checked, self.log_start_offset)
        info = self._append_checked(header, data, leader_epoch, now_ms, shift_ms)
        producers.update(checked, header, info.base_offset)
        return info

    def _append_checked(
        self, header: BatchHeader, data: Buffer, leader_epoch: int, now_ms: int, shift_ms: int
    ) -> LogAppendInfo:
        """Append a batch whose producer was checked; it fails for want of memory, or not at all."""
        max_timestamp = header.max_timestamp
        segments = self.segments
        segment = segments.active
        end_position = segments.end_position + len(data)
        budget = self._budget
        charge_bytes = len(data) + BATCH_OVERHEAD_BYTES
        if (
            end_position > segment.full_at_position
            or max_timestamp > segment.roll_after_ms
            or budget.used_bytes + charge_bytes > budget.reclaim_above_bytes
        ):
            shifted_ms = max_timestamp + shift_ms if max_timestamp >= 0 else max_timestamp
            segment = segments.make_ready(
                self.topic_partition.topic, self.log_end_offset, data, shifted_ms, now_ms
            )
        if leader_epoch != self._leader_epoch:
            self.assign_leader_epoch(leader_epoch)
        budget.used_bytes += charge_bytes
        info = LogAppendInfo()
        info.base_offset = base_offset = self.log_end_offset
        segment.base_offsets.append(base_offset)
        segment.end_positions.append(end_position)
        segment.buffers.append(data)
        segments.end_position = end_position
        segment.last_modified_ms = now_ms
        if self.timestamp_shifts.are_any:
            segment.note_timestamp(max_timestamp, self.config.segment_ms, shift_ms)
            if not header.is_control or self.producers.options.marker_is_last_batch:
                self.timestamp_shifts.note(base_offset, shift_ms)
            self.timestamp_shifts.limit(segment, self.config.segment_ms)
        elif max_timestamp > segment.max_timestamp_ms or max_timestamp < 0:
            segment.note_timestamp(max_timestamp, self.config.segment_ms)
        info.last_offset = last_offset = base_offset + header.last_offset_delta
        self.log_end_offset = last_offset + 1
        if self.follows_log_end:
            self.high_watermark = last_offset + 1
        info.log_append_time_ms = max_timestamp if header.attributes & _STAMPED else NO_TIMESTAMP
        info.log_start_offset = self.log_start_offset
        info.is_duplicate = False
        return info

    def append_end_txn_marker(
        self,
        marker: EndTxnMarker,
        header: BatchHeader,
        data: Buffer,
        *,
        leader_epoch: int,
        now_ms: int,
        transaction_version: int = 0,
    ) -> LogAppendInfo:
        """Append the control batch that holds `marker`, and end its producer's transaction here.

        A marker is appended where there is nothing to end, too. Of `transaction_version` 2 on, its
        epoch has to be newer than its transaction's (KIP-890, KIP-1228).

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, KAFKA_STORAGE_ERROR.

        """
        assert header.is_control, header
        assert header.producer_id == marker.producer_id, (header, marker)
        self.producers.check_end_txn_marker(marker, transaction_version)
        info = self._append_checked(header, data, leader_epoch, now_ms, 0)
        aborted = self.producers.end_transaction(marker, info.base_offset, header.max_timestamp)
        if aborted is not None:
            self.transaction_index.append(aborted)
        self.producers.transactions.advance_high_watermark(self.high_watermark)
        return info

    def append_plain(
        self, data: Buffer, max_timestamp: int, record_count: int, *, leader_epoch: int, now_ms: int
    ) -> bool:
        """Append a batch without a producer, from `log_end_offset` on, if that is all to be done.

        It is the usual case of `append`. False: there is more to do, and nothing has changed.
        """
        added = leader_epoch == self._leader_epoch and self.segments.append_plain(
            self.log_end_offset, data, max_timestamp, now_ms
        )
        if added:
            self._advance_log_end(record_count)
        return added

    def _advance_log_end(self, record_count: int) -> None:
        self.log_end_offset += record_count
        if self.follows_log_end:
            self.high_watermark = self.log_end_offset

    def assign_leader_epoch(self, leader_epoch: int) -> None:
        """Let a new leader begin at the log's end, before it has written anything (KIP-101)."""
        self.leader_epochs.assign(leader_epoch, self.log_end_offset)
        self._leader_epoch = leader_epoch

    # Offsets.

    @property
    def offsets(self) -> LogOffsetSnapshot:
        """The log's three offsets as they are now."""
        return LogOffsetSnapshot(self.log_start_offset, self.high_watermark, self.log_end_offset)

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which read_committed reads: before it, all transactions are decided."""
        first_unstable_offset = self.producers.transactions.first_unstable_offset
        if first_unstable_offset >= self.high_watermark:
            return self.high_watermark
        if first_unstable_offset >= self.log_start_offset:
            return first_unstable_offset
        if self.producers.options.stable_within_batches or self.is_empty:
            return self.log_start_offset
        return self.segments.batch_start_of(self.log_start_offset)

    def hold_high_watermark(self) -> None:
        """Keep the high watermark where it is until `advance_high_watermark` moves it."""
        self.follows_log_end = False

    def advance_high_watermark(self, offset: int) -> None:
        """Move the high watermark forward to the end of a batch; never back, never past the end."""
        self.high_watermark = max(self.high_watermark, min(offset, self.log_end_offset))
        self.producers.transactions.advance_high_watermark(self.high_watermark)

    def advance_log_start(self, offset: int) -> None:
        """Let the log start at `offset`, which is committed; for `log_deletion`."""
        if offset <= self.log_start_offset:
            return
        self.observation.log_start_moved(self, offset)
        self.log_start_offset = offset
        self.leader_epochs.truncate_from_start(offset)
        self.transaction_index.truncate_from_start(offset)
        self.producers.advance_log_start(offset)
        self.producers.transactions.advance_high_watermark(self.high_watermark)

    # Transactions.

    def aborted_transactions(self, fetch_offset: int, up_to_offset: int) -> list[AbortedTxn]:
        """Return what a read_committed reader of these offsets has to leave out."""
        return self.transaction_index.collect(fetch_offset, up_to_offset)

    # Reading.

    def read(
        self, fetch_offset: int, *, max_bytes: int, up_to_offset: int, at_least_one: bool = True
    ) -> LogSlice:
        """Return batches from the one that contains `fetch_offset` on, before `up_to_offset`.

        They take `max_bytes`, the last cut off there, but the first whole if `at_least_one`
        (KIP-74). `up_to_offset` is the high watermark, the last stable offset or the log's end.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE before the log start offset or beyond the log's end.

        """
        if not self.log_start_offset <= fetch_offset <= self.log_end_offset:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"{self.topic_partition} holds {self.log_start_offset} to {self.log_end_offset}, "
                f"not {fetch_offset}",
            )
        if fetch_offset >= up_to_offset:
            return LogSlice([], 0, fetch_offset)
        segments, end_position = self.segments, self.segments.end_position
        if up_to_offset < self.log_end_offset:
            end_position = segments.position_of(up_to_offset)
        log_slice = segments.read(fetch_offset, max_bytes, end_position, at_least_one=at_least_one)
        if log_slice.next_offset < fetch_offset:
            is_stuck = log_slice.first_entry_incomplete or not log_slice.buffers
            log_slice.next_offset = fetch_offset if is_stuck else self.log_end_offset
        return log_slice

    @property
    def is_empty(self) -> bool:
        """Whether the log starts where it ends."""
        return self.log_start_offset == self.log_end_offset

    @property
    def size_bytes(self) -> int:
        """The size of all batches held."""
        return self.segments.size_bytes

    # Leader epochs.

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEndOffset:
        """Answer OffsetForLeaderEpoch (KIP-101, KIP-320)."""
        return self.leader_epochs.end_offset_for(leader_epoch, self.log_end_offset)

    # Deleting.

    def reconfigure(self, config: LogConfig) -> None:
        """Put new settings in force: for the next append and the next round of retention."""
        self.config = config
        self.segments.reconfigure(config)
        if self.timestamp_shifts.are_any:
            self.segments.active.ask_always()

    def delete_records(self, before_offset: int, *, asks_policy_first: bool = True) -> int:
        """Move the log start offset up to `before_offset` (-1: the high watermark), and return it.

        Raises:
            ApiError: POLICY_VIOLATION, OFFSET_OUT_OF_RANGE.

        """
        return log_deletion.delete_records(self, before_offset, asks_policy_first=asks_policy_first)

    def delete_old_segments(self, now_ms: int) -> int:
        """Apply retention, and return how many segments went."""
        return log_deletion.delete_old_segments(self, now_ms)

    def reclaim(self, *, now_ms: int) -> None:
        """Let go of all that is dead or exceeds `retention.bytes` (`log_deletion.reclaim`)."""
        log_deletion.reclaim(self, now_ms)

    def delete(self) -> None:
        """Give all memory back, because the partition is deleted; nothing may be called after."""
        self.segments.delete()
        self._budget.unregister(self)

    # State as text.

    def as_text(self) -> str:
        """Show the log's state, the batches' bytes apart, in a stable form."""
        offsets = ", ".join(map(str, self.offsets))
        lines = [f"{self.topic_partition}: {offsets}, leader epochs {self.leader_epochs!r}"]
        lines += [segment.as_text() for segment in self.segments]
        lines += self.producers.as_text()
        lines += [repr(aborted) for aborted in self.transaction_index]
        return "\n".join(lines)

"""The log of one partition: append, read, and its start, stable and end offsets.

Invariants:

1. `log_start_offset <= high_watermark <= log_end_offset`; only `log_truncation` moves them
   back. The last stable offset is not beyond the high watermark, nor before the first batch.
2. A batch is stored by reference and never parsed. Its base offset is the log end offset at the
   append; the caller writes it into the bytes at once. The header is neither stored nor changed.
3. An append checks everything before it changes anything: a refused append leaves the log as it
   was. (Other logs may have released data that they may delete.)
4. A read starts at a batch boundary: its first batch contains the fetch offset.
5. A retry of one of the producer's last five batches is answered with that batch's offset and
   timestamp and not appended, even if that offset is before the log start by now.
6. The last stable offset stays at the first record of the oldest transaction that is open, or whose
   marker the high watermark has not passed.
"""

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import (
    LOG_APPEND_TIME,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
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
from mockbroker.state.log.log_observer import LogFollower, LogObserver, Unobserved
from mockbroker.state.log.log_segments import LogSegments, LogSlice
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.log.retention import LogOffsetSnapshot
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_state_entry import BatchMetadata
from mockbroker.state.producer.producer_state_manager import ProducerStateManager
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn, TransactionIndex
from mockbroker.state.producer.verification_state_entry import VerificationGuard


class PartitionLog:
    """The batches of one partition, its offsets, producers and leader epochs (`UnifiedLog`).

    Its attributes are read-only outside of `log_truncation` and `high_watermark`. The high
    watermark follows the log end offset, as with replicas that are always in sync, until
    `hold_high_watermark()` is called; from then on `advance_high_watermark()` moves it.
    """

    __slots__ = (
        "_budget",
        "_leader_epoch",
        "checkpointed_start_offset",
        "config",
        "followers",
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
        observation: LogObserver | None = None,
        clients: ClientClock | None = None,
    ) -> None:
        """Start empty at offset 0, and register with `budget`; `clients` is the clients' clock."""
        self.topic_partition = topic_partition
        self.config = config
        self._budget = budget
        self.observation = observation or Unobserved()
        self.timestamp_shifts = TimestampShifts(clients)
        self.producers = ProducerStateManager(producer_options, self.timestamp_shifts)
        self.transaction_index = TransactionIndex()
        self.leader_epochs = LeaderEpochCache()
        self._leader_epoch = self.leader_epochs.latest_epoch
        self.log_start_offset = self.high_watermark = self.log_end_offset = 0
        self.checkpointed_start_offset = 0
        self.follows_log_end = True
        self.followers: tuple[LogFollower, ...] = ()
        """The copies of replicas that fetch from this log, to keep up before records go."""
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
        """Append a batch whose bytes were validated, or recognise it as a retry.

        The first batch of a transaction needs the guard from `maybe_start_verification`. Batches
        that a group coordinator writes for a producer are not from a client: they have no sequence.

        Raises:
            ApiError: RECORD_LIST_TOO_LARGE, INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER,
                UNKNOWN_PRODUCER_ID, INVALID_TXN_STATE, KAFKA_STORAGE_ERROR.

        """
        if len(data) > self.config.segment_bytes:
            raise self.segments.too_large(self.topic_partition.topic, len(data))
        shift_ms = self.timestamp_shifts.of_next(header, is_from_client=is_from_client)
        if header.producer_id <= NO_PRODUCER_ID:
            return self.append_checked(header, data, leader_epoch, now_ms, shift_ms)
        producers = self.producers
        checked = producers.check(header, verification_guard, is_from_client=is_from_client)
        if isinstance(checked, BatchMetadata):
            return LogAppendInfo.of_retry(checked, self.log_start_offset)
        info = self.append_checked(header, data, leader_epoch, now_ms, shift_ms)
        producers.update(checked, header, info.base_offset)
        return info

    def append_checked(
        self, header: BatchHeader, data: Buffer, leader_epoch: int, now_ms: int, shift_ms: int
    ) -> LogAppendInfo:
        """Append a batch that needs no check of its producer; fails only if memory is full."""
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
        info.log_append_time_ms = (
            max_timestamp if header.attributes & LOG_APPEND_TIME else NO_TIMESTAMP
        )
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
        """Append the control batch that contains `marker`, and end its producer's transaction here.

        The marker is appended even if no transaction is open. From `transaction_version` 2 on, its
        epoch must be newer than the transaction's (KIP-890, KIP-1228).

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, KAFKA_STORAGE_ERROR.

        """
        assert header.is_control, header
        assert header.producer_id == marker.producer_id, (header, marker)
        self.producers.check_end_txn_marker(marker, transaction_version)
        info = self.append_checked(header, data, leader_epoch, now_ms, 0)
        aborted = self.producers.end_transaction(marker, info.base_offset, header.max_timestamp)
        if aborted is not None:
            self.transaction_index.append(aborted)
        self.producers.transactions.advance_high_watermark(self.high_watermark)
        return info

    def append_next(
        self,
        data: Buffer,
        max_timestamp: int,
        record_count: int,
        *,
        leader_epoch: int,
        now_ms: int,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        base_sequence: int = NO_SEQUENCE,
        is_transactional: bool = False,
    ) -> bool:
        """Append a batch as `append` does where nothing else is to do; else return False.

        Nothing changes for a new producer or epoch, a retry, a gap, a wrap, a transaction's first
        batch, a verification, a new segment, or a timestamp that a jump of a clock has shifted.
        """
        size_bytes, charge_bytes = len(data), len(data) + BATCH_OVERHEAD_BYTES
        if not self.is_ready_for(size_bytes, max_timestamp, leader_epoch, charge_bytes):
            return False
        end_offset = self.log_end_offset + record_count
        if producer_id > NO_PRODUCER_ID and not self.producers.take_next(
            producer_id, producer_epoch, base_sequence, is_transactional=is_transactional,
            record_count=record_count, last_offset=end_offset - 1, timestamp_ms=max_timestamp,
        ):  # fmt: skip
            return False
        segments, segment = self.segments, self.segments.active
        self._budget.used_bytes += charge_bytes
        segment.base_offsets.append(self.log_end_offset)
        segments.end_position += size_bytes
        segment.end_positions.append(segments.end_position)
        segment.buffers.append(data)
        segment.last_modified_ms = now_ms
        if max_timestamp > segment.max_timestamp_ms:
            segment.note_timestamp(max_timestamp, self.config.segment_ms)
        self.log_end_offset = end_offset
        if self.follows_log_end:
            self.high_watermark = end_offset
        return True

    def is_ready_for(
        self, size_bytes: int, max_timestamp: int, leader_epoch: int, charge_bytes: int
    ) -> bool:
        """Return True if `append_next` appends a batch whose producer allows it."""
        segment, budget = self.segments.active, self._budget
        return (
            leader_epoch == self._leader_epoch
            and self.segments.end_position + size_bytes <= segment.full_at_position
            and 0 <= max_timestamp <= segment.roll_after_ms
            and budget.used_bytes + charge_bytes <= budget.reclaim_above_bytes
            and not (max_timestamp > segment.max_timestamp_ms and self.timestamp_shifts.are_any)
        )

    def assign_leader_epoch(self, leader_epoch: int) -> None:
        """Start a new leader's epoch at the log's end, before it has written anything (KIP-101)."""
        self.leader_epochs.assign(leader_epoch, self.log_end_offset)
        self._leader_epoch = leader_epoch

    # Offsets.

    @property
    def offsets(self) -> LogOffsetSnapshot:
        """The current values of the log's three offsets."""
        return LogOffsetSnapshot(self.log_start_offset, self.high_watermark, self.log_end_offset)

    @property
    def last_stable_offset(self) -> int:
        """The end of what read_committed reads: all transactions before it are decided."""
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
        """Move the log start offset to `offset`, which is committed; for `log_deletion`."""
        if offset <= self.log_start_offset:
            return
        for follower in self.followers:
            follower.fetch()
        reporter = self.observation.reporter
        if reporter is not None:
            reporter.log_start_moved(self.topic_partition, self.log_start_offset, offset)
        self.log_start_offset = offset
        self.leader_epochs.truncate_from_start(offset)
        self.transaction_index.truncate_from_start(offset)
        self.producers.advance_log_start(offset)
        self.producers.transactions.advance_high_watermark(self.high_watermark)

    # Reading.

    def aborted_transactions(self, fetch_offset: int, up_to_offset: int) -> list[AbortedTxn]:
        """Return the aborted transactions that a read_committed reader of these offsets skips."""
        return self.transaction_index.collect(fetch_offset, up_to_offset)

    def read(
        self, fetch_offset: int, *, max_bytes: int, up_to_offset: int, at_least_one: bool = True
    ) -> LogSlice:
        """Return the batches from the one that contains `fetch_offset` up to `up_to_offset`.

        They are cut off at `max_bytes`, except the first batch if `at_least_one` (KIP-74).
        `up_to_offset` is the high watermark, the last stable offset or the log end offset.

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
        """True if the log start offset equals the log end offset."""
        return self.log_start_offset == self.log_end_offset

    @property
    def size_bytes(self) -> int:
        """The size of all stored batches."""
        return self.segments.size_bytes

    # Leader epochs.

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEndOffset:
        """Answer OffsetForLeaderEpoch (KIP-101, KIP-320)."""
        return self.leader_epochs.end_offset_for(leader_epoch, self.log_end_offset)

    # Deleting.

    def reconfigure(self, config: LogConfig) -> None:
        """Apply new settings from the next append and the next retention round on."""
        self.config = config
        self.segments.reconfigure(config)
        if self.timestamp_shifts.are_any:
            self.segments.active.ask_always()

    def delete_records(self, before_offset: int, *, asks_policy_first: bool = True) -> int:
        """Move the log start offset as `log_deletion.delete_records`, and return it."""
        return log_deletion.delete_records(self, before_offset, asks_policy_first=asks_policy_first)

    def delete_old_segments(self, now_ms: int) -> int:
        """Apply retention, and return the number of segments deleted."""
        return log_deletion.delete_old_segments(self, now_ms)

    def reclaim(self, *, now_ms: int) -> None:
        """Drop batches that are dead or exceed `retention.bytes` (`log_deletion.reclaim`)."""
        log_deletion.reclaim(self, now_ms)

    def delete(self) -> None:
        """Release all memory of a deleted partition; no method may be called after this."""
        self.segments.delete()
        self._budget.unregister(self)

    # State as text.

    def as_text(self) -> str:
        """Return the log's state, without the batches' bytes, as text in a stable form."""
        offsets = ", ".join(map(str, self.offsets))
        lines = [f"{self.topic_partition}: {offsets}, leader epochs {self.leader_epochs!r}"]
        lines += [segment.as_text() for segment in self.segments]
        lines += self.producers.as_text()
        lines += [repr(aborted) for aborted in self.transaction_index]
        return "\n".join(lines)

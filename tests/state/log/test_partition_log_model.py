"""The log against a naive model: any calls in any order give the same answers and state."""

from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import append, batch_header, idempotent, partition_log

SEQUENCES = 1 << 31
EXPIRATION_MS = 5_000
RETENTION_MS = 3_000

pytestmark = pytest.mark.slow

producer_ids = st.integers(0, 2)
record_counts = st.integers(1, 3)
sizes = st.integers(61, 400)


@dataclass
class ModelBatch:
    base_offset: int
    records: int
    timestamp_ms: int
    data: bytes


@dataclass
class ModelProducer:
    """Every batch of the current epoch: (base sequence, records, base offset, timestamp)."""

    producer_epoch: int
    batches: list[tuple[int, int, int, int]] = field(
        default_factory=list[tuple[int, int, int, int]]
    )

    def next_sequence(self) -> int:
        base_sequence, records, _, _ = self.batches[-1]
        return (base_sequence + records) % SEQUENCES


class LogMachine(RuleBasedStateMachine):
    """A state machine that drives a log with small segments and a model made of lists."""

    accepts_unknown_producer = True

    def __init__(self) -> None:
        super().__init__()
        self.budget = MemoryBudget()
        self.log = partition_log(
            LogConfig(segment_bytes=1_000, segment_ms=2_000, retention_ms=RETENTION_MS),
            budget=self.budget,
            producer_options=ProducerStateOptions(
                accepts_unknown_producer=self.accepts_unknown_producer,
                producer_id_expiration_ms=EXPIRATION_MS,
            ),
        )
        self.log.hold_high_watermark()
        self.now_ms = 10_000
        self.batches: list[ModelBatch] = []
        self.producers: dict[int, ModelProducer] = {}
        self.log_end_offset = 0
        self.log_start_offset = 0
        self.high_watermark = 0

    # The model's expectations of an append.

    def expected_refusal(self, producer_id: int, epoch_step: int, sequence: int) -> ErrorCode:
        producer = self.producers.get(producer_id)
        if producer is None:
            if sequence == 0 or self.accepts_unknown_producer:
                return ErrorCode.NONE
            return ErrorCode.UNKNOWN_PRODUCER_ID
        if epoch_step < 0:
            return ErrorCode.INVALID_PRODUCER_EPOCH
        expected = 0 if epoch_step else producer.next_sequence()
        return ErrorCode.NONE if sequence == expected else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER

    def remembered(
        self, producer_id: int, epoch_step: int, sequence: int, records: int
    ) -> tuple[int, int] | None:
        producer = self.producers.get(producer_id)
        if producer is None or epoch_step:
            return None
        for base_sequence, batch_records, base_offset, timestamp_ms in producer.batches[-5:]:
            if (base_sequence, batch_records) == (sequence, records):
                return base_offset, timestamp_ms
        return None

    def note_append(self, info: LogAppendInfo, records: int, data: bytes) -> None:
        assert not info.is_duplicate
        assert info.base_offset == self.log_end_offset
        assert info.last_offset == self.log_end_offset + records - 1
        self.batches.append(ModelBatch(self.log_end_offset, records, self.now_ms, data))
        self.log_end_offset += records

    # Calls.

    @rule(records=record_counts, size_bytes=sizes)
    def append_without_a_producer_id(self, records: int, size_bytes: int) -> None:
        data = bytes(size_bytes)
        header = batch_header(records=records, timestamp_ms=self.now_ms)
        self.note_append(append(self.log, header, data, now_ms=self.now_ms), records, data)

    @rule(records=record_counts, size_bytes=sizes)
    def append_on_the_fast_path(self, records: int, size_bytes: int) -> None:
        data = bytes(size_bytes)
        if self.log.append_next(data, self.now_ms, records, leader_epoch=0, now_ms=self.now_ms):
            self.batches.append(ModelBatch(self.log_end_offset, records, self.now_ms, data))
            self.log_end_offset += records

    @rule(
        producer_id=producer_ids,
        epoch_step=st.sampled_from([0, 0, 0, 1, -1]),
        records=record_counts,
        gap=st.sampled_from([0, 0, 0, 0, 1, -1, -2]),
        first_sequence=st.sampled_from([0, 0, 1, SEQUENCES - 2, SEQUENCES - 1]),
        size_bytes=sizes,
    )
    def append_of_a_producer(
        self,
        producer_id: int,
        epoch_step: int,
        records: int,
        gap: int,
        first_sequence: int,
        size_bytes: int,
    ) -> None:
        producer = self.producers.get(producer_id)
        if producer is None or epoch_step:
            sequence = first_sequence
        else:
            sequence = (producer.next_sequence() + gap) % SEQUENCES
        self.try_append(producer_id, epoch_step, sequence, records, bytes(size_bytes))

    @precondition(lambda self: bool(self.producers))
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        producer_id = data.draw(st.sampled_from(sorted(self.producers)))
        earlier = self.producers[producer_id].batches
        sequence, records, _, _ = data.draw(st.sampled_from(earlier[-7:]))
        self.try_append(producer_id, 0, sequence, records, bytes(61))

    def try_append(
        self, producer_id: int, epoch_step: int, sequence: int, records: int, data: bytes
    ) -> None:
        producer = self.producers.get(producer_id)
        producer_epoch = (producer.producer_epoch if producer else 5) + epoch_step
        header = idempotent(
            sequence,
            records=records,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            timestamp_ms=self.now_ms,
        )
        before = self.log.as_text()
        remembered = self.remembered(producer_id, epoch_step, sequence, records)
        refusal = self.expected_refusal(producer_id, epoch_step, sequence)
        if remembered is None and refusal != ErrorCode.NONE:
            with pytest.raises(ApiError) as refused:
                append(self.log, header, data, now_ms=self.now_ms)
            assert refused.value.code == refusal
            assert self.log.as_text() == before
            return
        info = append(self.log, header, data, now_ms=self.now_ms)
        if remembered is not None:
            assert info.is_duplicate
            assert (info.base_offset, info.log_append_time_ms) == remembered
            assert info.last_offset == info.base_offset + records - 1
            assert self.log.as_text() == before
            return
        if producer is None or epoch_step:
            producer = self.producers[producer_id] = ModelProducer(producer_epoch)
        producer.batches.append((sequence, records, self.log_end_offset, self.now_ms))
        self.note_append(info, records, data)

    @rule(by_ms=st.integers(1, 1_500))
    def time_passes(self, by_ms: int) -> None:
        self.now_ms += by_ms

    @rule()
    def retention(self) -> None:
        self.log.delete_old_segments(self.now_ms)
        assert self.log_start_offset <= self.log.log_start_offset <= self.high_watermark
        for batch in self.batches:
            if self.log_start_offset <= batch.base_offset < self.log.log_start_offset:
                assert self.now_ms - batch.timestamp_ms > RETENTION_MS
        self.log_start_offset = self.log.log_start_offset

    @rule()
    def producers_expire(self) -> None:
        expired = [
            producer_id
            for producer_id, producer in self.producers.items()
            if self.now_ms - producer.batches[-1][3] >= EXPIRATION_MS
        ]
        assert sorted(self.log.producers.remove_expired_producers(self.now_ms)) == sorted(expired)
        for producer_id in expired:
            del self.producers[producer_id]

    @rule(data=st.data())
    def high_watermark_advances(self, data: st.DataObject) -> None:
        boundaries = [batch.base_offset for batch in self.batches] + [self.log_end_offset]
        offset = data.draw(st.sampled_from(boundaries))
        self.log.advance_high_watermark(offset)
        self.high_watermark = max(self.high_watermark, offset)

    @rule(data=st.data())
    def records_are_deleted(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(-1, self.high_watermark + 1))
        target = self.high_watermark if offset == -1 else offset
        if target > self.high_watermark:
            with pytest.raises(ApiError):
                self.log.delete_records(offset)
            return
        self.log_start_offset = max(self.log_start_offset, target)
        assert self.log.delete_records(offset) == self.log_start_offset

    @rule(data=st.data(), max_bytes=st.integers(0, 1_500), by_end=st.booleans())
    def read(self, data: st.DataObject, max_bytes: int, by_end: bool) -> None:
        up_to_offset = self.log_end_offset if by_end else self.high_watermark
        fetch_offset = data.draw(st.integers(self.log_start_offset - 1, self.log_end_offset + 1))
        if not self.log_start_offset <= fetch_offset <= self.log_end_offset:
            with pytest.raises(ApiError):
                self.log.read(fetch_offset, max_bytes=max_bytes, up_to_offset=up_to_offset)
            return
        expected: list[bytes] = []
        next_offset = fetch_offset
        for batch in self.batches:
            end_offset = batch.base_offset + batch.records
            if end_offset <= fetch_offset or end_offset > up_to_offset:
                continue
            left_bytes = max_bytes - sum(map(len, expected))
            if expected and left_bytes < len(batch.data):
                expected += [batch.data[:left_bytes]] if left_bytes > 0 else []
                break
            expected.append(batch.data)
            next_offset = end_offset
        log_slice = self.log.read(fetch_offset, max_bytes=max_bytes, up_to_offset=up_to_offset)
        if log_slice.is_of_older_segment:  # it may have ended with its segment
            assert log_slice.buffers == expected[: len(log_slice.buffers)]
            assert fetch_offset < log_slice.next_offset <= next_offset
            return
        assert log_slice.buffers == expected
        assert log_slice.size_bytes == sum(map(len, expected))
        assert log_slice.next_offset == next_offset

    @invariant()
    def offsets_agree(self) -> None:
        log = self.log
        offsets = (log.log_start_offset, log.high_watermark, log.log_end_offset)
        assert offsets == (self.log_start_offset, self.high_watermark, self.log_end_offset)

    @invariant()
    def producers_agree(self) -> None:
        entries = {entry.producer_id: entry for entry in self.log.producers}
        assert entries.keys() == self.producers.keys()
        for producer_id, producer in self.producers.items():
            entry = entries[producer_id]
            assert entry.producer_epoch == producer.producer_epoch
            assert (entry.last_sequence + 1) % SEQUENCES == producer.next_sequence()

    @rule()
    def memory_runs_short(self) -> None:
        self.log.reclaim(now_ms=self.now_ms)

    @invariant()
    def the_account_covers_what_can_be_read(self) -> None:
        batches = self.log.read(
            self.log_start_offset, max_bytes=1 << 40, up_to_offset=self.log_end_offset
        ).buffers
        held_bytes = sum(map(len, batches)) + len(batches) * BATCH_OVERHEAD_BYTES
        assert self.budget.used_bytes >= held_bytes

    def teardown(self) -> None:
        self.log.delete()
        assert self.budget.used_bytes == 0


class LogMachineBeforeKip360(LogMachine):
    """The same machine, but a producer without state has to start at sequence 0."""

    accepts_unknown_producer = False


TestLog = LogMachine.TestCase
TestLog.settings = settings(stateful_step_count=60)
TestLogBeforeKip360 = LogMachineBeforeKip360.TestCase
TestLogBeforeKip360.settings = settings(max_examples=30)

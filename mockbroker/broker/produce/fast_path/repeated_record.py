"""Produce requests of one record that repeat: alike in every byte but checksum, times, value.

A producer that sends messages of one size without waiting for company sends the same request over
and over, and only these differ, and the sequence where it is idempotent. Such a request is
compared, all the bytes that are alike at once, with one that was judged in full; what is left to
judge is what may differ: the checksum, the timestamps, and that each sequence is the next. No
judgement is skipped for being likely: the bytes that decided it are the same.
"""

import struct
from typing import Final, NamedTuple

from mockbroker.broker.service import Service
from mockbroker.events.event_bus import Evidence
from mockbroker.events.event_types import RunProduced, Sender
from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.records.batch import (
    CRC_AT,
    CRC_FROM,
    LENGTH_AT,
    LOG_OVERHEAD_BYTES,
    STAMPED_BYTES,
    pack_stamps,
    records_of,
)
from mockbroker.protocol.records.batch_rules import BatchRules
from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.state.observation import position_of
from mockbroker.state.producer.producer_run import append_producer_batch, append_producer_run
from mockbroker.state.topic.topic import Partition

FRAME_BYTES_MAX: Final = 4096
"""Larger requests gain little, and their batches are kept in another way."""

_CORRELATION_END: Final = 12
_PRODUCER_AT: Final = 43
_PRODUCER_BYTES: Final = 10
_PRODUCER: Final = struct.Struct(">qh").unpack_from
_SEQUENCE_AT: Final = 53
_SEQUENCE: Final = struct.Struct(">i").unpack_from
_COUNT_AT: Final = 57


class _Run(NamedTuple):
    """What was judged good of the frames behind each other, as columns."""

    batches: list[bytes | bytearray]
    correlation_ids: list[int]
    timestamps_ms: list[int]
    crcs: list[int]


class RepeatedRecord:
    """One request that was judged, and what those like it need."""

    __slots__ = (
        "_batch_at",
        "_batch_length",
        "_config",
        "_end_after",
        "_expected",
        "_partition",
        "_producer_epoch",
        "_producer_id",
        "_rules",
        "_sender",
        "_service",
        "_unpack",
        "frame_bytes",
        "index",
        "log",
    )

    def __init__(  # noqa: PLR0917 - all of it is what was learned, in the order of the frame
        self,
        service: Service,
        partition: Partition,
        index: int,
        rules: BatchRules,
        sender: Sender,
        frame: bytes,
        batch_at: int,
    ) -> None:
        """Learn from a frame, its size in front, whose batch is one plain record at `batch_at`."""
        (batch_length,) = struct.unpack_from(">i", frame, batch_at + LENGTH_AT)
        self._producer_id, self._producer_epoch = _PRODUCER(frame, batch_at + _PRODUCER_AT)
        assert partition.log is not None, "a batch was just appended to it"
        self.index = index
        self.log = partition.log
        self._service = service
        self._partition = partition
        self._config = partition.config
        self._rules = rules
        self._sender = sender
        self.frame_bytes = len(frame)
        self._batch_at = batch_at
        self._batch_length = batch_length
        self._end_after = batch_at + LOG_OVERHEAD_BYTES + batch_length
        (record,) = records_of(frame, batch_at)
        tail_at = self._end_after - 1
        value_bytes = len(record.value or b"")
        # Between what may differ stand six stretches: the size to the client's version, the client
        # id to the magic, attributes and last delta, producer id and epoch, the count to the value,
        # and what is behind the value.
        layout = (
            f">8si{batch_at + CRC_AT - _CORRELATION_END}sI6sqq"
            f"{_PRODUCER_BYTES}si{tail_at - value_bytes - batch_at - _COUNT_AT}s"
            f"{value_bytes}x{self.frame_bytes - tail_at}s"
        )
        self._unpack = struct.Struct(layout).unpack_from
        begin, _, head, _, attributes, _, _, producer, _, record_head, tail = self._unpack(frame)
        self._expected = (begin, head, attributes, producer, record_head, tail)

    def is_like(self, data: bytes | bytearray, position: int) -> bool:
        """Say whether the frame at `position` has the bytes that were judged."""
        begin, _, head, _, attributes, _, _, producer, _, record_head, tail = self._unpack(
            data, position
        )
        return (begin, head, attributes, producer, record_head, tail) == self._expected

    def append_run(
        self, data: bytes | bytearray, position: int, end: int
    ) -> tuple[list[int], int] | None:
        """Append the batches of the frames at `position` that are like the one learned.

        Frames stand behind their sizes here. The answer is the correlation ids of those that were
        appended, and the base offset of the first; None where the first is not like it, or there
        is more to do than to append.
        """
        log = self.log
        partition = self._partition
        stop = position + self.frame_bytes
        if partition.config is not self._config or partition.log is not log or stop > end:
            return None
        if stop == end:
            return self._append_alone(data, position)
        (sequence,) = _SEQUENCE(data, position + self._batch_at + _SEQUENCE_AT)
        # Out of sequence, the frames behind would be judged again and again for nothing.
        if self._producer_id > NO_PRODUCER_ID and not log.producers.entry_in_sequence(
            self._producer_id, self._producer_epoch, sequence
        ):
            return None
        base_offset = log.log_end_offset
        run = self._judge(data, position, end, sequence)
        if not run.batches or not self._append(run, sequence):
            return None
        self._let_know(run, sequence, base_offset)
        return run.correlation_ids, base_offset

    def _append_alone(self, data: bytes | bytearray, position: int) -> tuple[list[int], int] | None:
        """Do the same for one frame with nothing behind it, for which a client is waiting.

        It is what a run does, without the columns: they take as long as the rest.
        """
        (
            begin, correlation_id, head, crc, attributes, base_timestamp, max_timestamp,
            producer, base_sequence, record_head, tail,
        ) = self._unpack(data, position)  # fmt: skip
        batch_at, batch_end = position + self._batch_at, position + self._end_after
        client_now_ms, rules = self._service.client_now_ms, self._rules
        if (
            (begin, head, attributes, producer, record_head, tail) != self._expected
            or base_timestamp != max_timestamp
            or max_timestamp < client_now_ms - rules.timestamp_before_max_ms
            or max_timestamp > client_now_ms + rules.timestamp_after_max_ms
            or checksums.crc32c(data[batch_at + CRC_FROM : batch_end]) != crc
        ):
            return None
        log, leader_epoch, now_ms = self.log, self._partition.leader_epoch, self._service.now_ms
        base_offset = log.log_end_offset
        front = pack_stamps(base_offset, self._batch_length, leader_epoch)
        batch = front + data[batch_at + STAMPED_BYTES : batch_end]
        if self._producer_id <= NO_PRODUCER_ID:
            is_appended = log.append_plain(
                batch, max_timestamp, 1, leader_epoch=leader_epoch, now_ms=now_ms
            )
        else:
            is_appended = append_producer_batch(
                log, batch, max_timestamp, 1,
                producer_id=self._producer_id, producer_epoch=self._producer_epoch,
                base_sequence=base_sequence, leader_epoch=leader_epoch, now_ms=now_ms,
            )  # fmt: skip
        if not is_appended:
            return None
        if self._service.parking.waiting or self._service.evidence is not None:
            run = _Run([batch], [correlation_id], [max_timestamp], [crc])
            self._let_know(run, base_sequence, base_offset)
        return [correlation_id], base_offset

    def _let_know(self, run: "_Run", base_sequence: int, base_offset: int) -> None:
        if self._service.parking.waiting:
            self._service.parking.touch(self._partition)
        if self._service.evidence is not None:
            self._tell(self._service.evidence, run, base_sequence, base_offset)

    def _tell(self, evidence: Evidence, run: "_Run", base_sequence: int, base_offset: int) -> None:
        evidence.tell(
            RunProduced(
                evidence.number_calls(len(run.correlation_ids)),
                run.correlation_ids,
                self._sender,
                self._producer_id,
                self._producer_epoch,
                base_sequence,
                run.timestamps_ms,
                base_offset,
                run.batches,
                run.crcs,
                position_of(self._partition),
            )
        )

    def _judge(  # one loop: a call per frame would cost as much as its checks
        self, data: bytes | bytearray, position: int, end: int, next_sequence: int
    ) -> "_Run":
        """Judge frame after frame, and stamp what is good, until one is not like the others."""
        log = self.log
        run = _Run([], [], [], [])
        batches, correlation_ids, timestamps_ms, crcs = run
        base_offset = log.log_end_offset
        step = 1 if self._producer_id > NO_PRODUCER_ID else 0
        now_ms = self._service.client_now_ms
        first_ms = max(0, now_ms - self._rules.timestamp_before_max_ms)
        last_ms = min(now_ms + self._rules.timestamp_after_max_ms, log.plain_until_ms)
        leader_epoch = self._partition.leader_epoch
        batch_at, end_after = self._batch_at, self._end_after
        unpack, expected, frame_bytes = self._unpack, self._expected, self.frame_bytes
        crc32c = checksums.crc32c
        while position + frame_bytes <= end:
            (
                begin, correlation_id, head, crc, attributes, base_timestamp, max_timestamp,
                producer, base_sequence, record_head, tail,
            ) = unpack(data, position)  # fmt: skip
            batch_end = position + end_after
            if (
                (begin, head, attributes, producer, record_head, tail) != expected
                or base_sequence != next_sequence
                or base_timestamp != max_timestamp
                or not first_ms <= max_timestamp <= last_ms
                or crc32c(data[position + batch_at + CRC_FROM : batch_end]) != crc
            ):
                break
            front = pack_stamps(base_offset + len(batches), self._batch_length, leader_epoch)
            batches.append(front + data[position + batch_at + STAMPED_BYTES : batch_end])
            correlation_ids.append(correlation_id)
            timestamps_ms.append(max_timestamp)
            crcs.append(crc)
            position += frame_bytes
            next_sequence += step
        return run

    def _append(self, run: "_Run", base_sequence: int) -> bool:
        """Append what was judged; False where there is more to do, and nothing has changed."""
        size_bytes = len(run.batches[0])
        leader_epoch, now_ms = self._partition.leader_epoch, self._service.now_ms
        if self._producer_id <= NO_PRODUCER_ID:
            return self.log.append_plain_run(
                run.batches, size_bytes, leader_epoch=leader_epoch, now_ms=now_ms
            )
        return append_producer_run(
            self.log,
            run.batches,
            size_bytes,
            run.timestamps_ms,
            producer_id=self._producer_id,
            producer_epoch=self._producer_epoch,
            base_sequence=base_sequence,
            leader_epoch=leader_epoch,
            now_ms=now_ms,
        )

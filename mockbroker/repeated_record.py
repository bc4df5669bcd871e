"""Produce requests of one record that repeat: alike in every byte but checksum, timestamps, value.

A producer that sends messages of one size without waiting for company sends the same request over
and over, and only these differ. Such a request is compared, all the bytes that are alike at once,
with one that was judged in full; what is left to judge is what may differ: the checksum and the
timestamps. No judgement is skipped for being likely: the bytes that decided it are the same.
"""

import struct
from typing import Final

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
from mockbroker.service import Service
from mockbroker.state.topic.topic import Partition

FRAME_BYTES_MAX: Final = 4096
"""Larger requests gain little, and their batches are kept in another way."""

_CORRELATION_END: Final = 12
_PRODUCER_ID_AT: Final = 43


class RepeatedRecord:
    """One request that was judged, and what those like it need."""

    __slots__ = (
        "_batch_at",
        "_batch_length",
        "_config",
        "_end_after",
        "_expected",
        "_partition",
        "_rules",
        "_service",
        "_tail",
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
        frame: bytes,
        batch_at: int,
    ) -> None:
        """Learn from a frame, its size in front, whose batch is one plain record at `batch_at`."""
        (batch_length,) = struct.unpack_from(">i", frame, batch_at + LENGTH_AT)
        assert partition.log is not None, "a batch was just appended to it"
        self.index = index
        self.log = partition.log
        self._service = service
        self._partition = partition
        self._config = partition.config
        self._rules = rules
        self.frame_bytes = len(frame)
        self._batch_at = batch_at
        self._batch_length = batch_length
        self._end_after = batch_at + LOG_OVERHEAD_BYTES + batch_length
        (record,) = records_of(frame, batch_at)
        value_at = self._end_after - 1 - len(record.value or b"")
        self._tail = frame[self._end_after - 1 :]
        # Between what may differ stand four stretches: the size to the client's version, the client
        # id to the magic, attributes and last delta, the producer to the value.
        layout = (
            f">8si{batch_at + CRC_AT - _CORRELATION_END}sI6sqq"
            f"{value_at - batch_at - _PRODUCER_ID_AT}s"
        )
        self._unpack = struct.Struct(layout).unpack_from
        begin, _, head, _, attributes, _, _, record_head = self._unpack(frame, 0)
        self._expected = (begin, head, attributes, record_head)

    def is_like(self, data: bytes | bytearray, position: int) -> bool:
        """Say whether the frame at `position` has the bytes that were judged."""
        begin, _, head, _, attributes, _, _, record_head = self._unpack(data, position)
        tail = data[position + self._end_after - 1 : position + self.frame_bytes]
        like = (begin, head, attributes, record_head) == self._expected
        return like and tail == self._tail

    def append_run(  # one loop: a call per frame would cost as much as its checks
        self, data: bytes | bytearray, position: int, end: int
    ) -> tuple[list[int], int] | None:
        """Append the batches of the frames at `position` that are like the one learned.

        Frames stand behind their sizes here. The answer is the correlation ids of those that were
        appended, and the base offset of the first; None where the first is not like it, or there
        is more to do than to append.
        """
        log = self.log
        partition = self._partition
        if partition.config is not self._config or partition.log is not log:
            return None
        now_ms = self._service.now_ms
        first_ms = max(0, now_ms - self._rules.timestamp_before_max_ms)
        last_ms = min(now_ms + self._rules.timestamp_after_max_ms, log.plain_until_ms)
        leader_epoch = partition.leader_epoch
        batch_at, end_after = self._batch_at, self._end_after
        tail, tail_at = self._tail, self._end_after - 1
        unpack, expected, frame_bytes = self._unpack, self._expected, self.frame_bytes
        base_offset = log.log_end_offset
        batches: list[bytes | bytearray] = []
        correlation_ids: list[int] = []
        crc32c = checksums.crc32c
        while position + frame_bytes <= end:
            (
                begin, correlation_id, head, crc, attributes,
                base_timestamp, max_timestamp, record_head,
            ) = unpack(data, position)  # fmt: skip
            batch_end = position + end_after
            if (
                (begin, head, attributes, record_head) != expected
                or data[position + tail_at : position + frame_bytes] != tail
                or base_timestamp != max_timestamp
                or not first_ms <= max_timestamp <= last_ms
                or crc32c(data[position + batch_at + CRC_FROM : batch_end]) != crc
            ):
                break
            front = pack_stamps(base_offset + len(batches), self._batch_length, leader_epoch)
            batches.append(front + data[position + batch_at + STAMPED_BYTES : batch_end])
            correlation_ids.append(correlation_id)
            position += frame_bytes
        if not batches or not log.append_plain_run(
            batches, len(batches[0]), leader_epoch=leader_epoch, now_ms=now_ms
        ):
            return None
        if self._service.parking.waiting:
            self._service.parking.touch(partition)
        return correlation_ids, base_offset

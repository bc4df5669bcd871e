"""Produce requests of one record that repeat: alike in every byte but checksum, timestamps, value.

A producer that sends messages of one size without waiting for company sends the same request over
and over, and only these differ. Such a request is compared, all the bytes that are alike at once,
with one that was judged in full; what is left to judge is what may differ: the checksum and the
timestamps. No judgement is skipped for being likely: the bytes that decided it are the same.
"""

import struct
from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.records.batch_rules import BatchRules
from mockbroker.service import Service
from mockbroker.state.topic.topic import Partition

FRAME_BYTES_MAX: Final = 4096
"""Larger requests gain little, and their batches are kept in another way."""

_CORRELATION_END: Final = 8
_EPOCH_AT: Final = 12
_CRC_FROM: Final = 21
_STAMPED_BYTES: Final = 16
_HEADER_BYTES: Final = 61
_stamped: Final = struct.Struct(">qii").pack
"""Base offset, batch length, leader epoch: how a batch begins."""


class RepeatedRecord:
    """One request that was judged, and what the next one like it needs."""

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
        "index",
        "log",
        "misses",
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
        """Learn from a frame whose batch, at `batch_at`, is one plain record without a producer."""
        (batch_length,) = struct.unpack_from(">i", frame, batch_at + 8)
        assert partition.log is not None, "a batch was just appended to it"
        self.index = index
        self.log = partition.log
        self._service = service
        self._partition = partition
        self._config = partition.config
        self._rules = rules
        self._batch_at = batch_at
        self._batch_length = batch_length
        self._end_after = batch_at + _EPOCH_AT + batch_length
        (record,) = records_of(frame, batch_at)
        value_at = self._end_after - 1 - len(record.value or b"")
        self._tail = frame[self._end_after - 1 :]
        layout = (
            f">4si{batch_at + _EPOCH_AT - _CORRELATION_END}s4xcI6sqq18s"
            f"{value_at - batch_at - _HEADER_BYTES}s"
        )
        self._unpack = struct.Struct(layout).unpack_from
        start, _, head, magic, _, attributes, _, _, producer, record_head = self._unpack(frame, 0)
        self._expected = (start, head, magic, attributes, producer, record_head)
        self.misses = 0

    def append(self, data: bytes | bytearray, start: int, stop: int) -> tuple[int, int] | None:
        """Append the batch of a frame like the one learned; None where anything is not like it.

        The frame has the same size. The answer is its correlation id and the base offset.
        """
        (
            begin, correlation_id, head, magic, crc, attributes,
            base_timestamp, max_timestamp, producer, record_head,
        ) = self._unpack(data, start)  # fmt: skip
        partition = self._partition
        end = start + self._end_after
        at = start + self._batch_at
        now_ms = self._service.now_ms
        rules = self._rules
        if (
            (begin, head, magic, attributes, producer, record_head) != self._expected
            or data[end - 1 : stop] != self._tail
            or base_timestamp != max_timestamp
            or not now_ms - rules.timestamp_before_max_ms
            <= max_timestamp
            <= now_ms + rules.timestamp_after_max_ms
            or partition.config is not self._config
            or partition.log is not self.log
            or checksums.crc32c(data[at + _CRC_FROM : end]) != crc
        ):
            self.misses += 1
            return None
        log = self.log
        base_offset = log.log_end_offset
        front = _stamped(base_offset, self._batch_length, partition.leader_epoch)
        if not log.append_plain(
            front + data[at + _STAMPED_BYTES : end],
            max_timestamp,
            1,
            leader_epoch=partition.leader_epoch,
            now_ms=now_ms,
        ):
            return None
        if self._service.parking.waiting:
            self._service.parking.touch(partition)
        return correlation_id, base_offset

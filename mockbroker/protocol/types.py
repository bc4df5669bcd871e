"""Shared values: buffers, topic partitions, and the header of a record batch."""

import uuid
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview

Uuid: TypeAlias = uuid.UUID

ZERO_UUID: Final = uuid.UUID(int=0)
"""Topic id of a topic without one (Kafka's `Uuid.ZERO_UUID`)."""

NO_PRODUCER_ID: Final = -1
NO_PRODUCER_EPOCH: Final = -1
NO_SEQUENCE: Final = -1
NO_PARTITION_LEADER_EPOCH: Final = -1
NO_TIMESTAMP: Final = -1

_COMPRESSION_MASK: Final = 0x07
LOG_APPEND_TIME: Final = 0x08
"""The attribute of a batch whose timestamps are those of the append."""
TRANSACTIONAL: Final = 0x10
"""The attribute of a batch that belongs to a transaction."""
CONTROL: Final = 0x20
"""The attribute of a batch that holds a marker."""
_DELETE_HORIZON: Final = 0x40
_LENGTH_PREFIX_BYTES: Final = 12
_SEQUENCES: Final = 1 << 31


class TopicPartition(NamedTuple):
    """Partition of a topic, with the topic's name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        """Format as Kafka does: `topic-partition`."""
        return f"{self.topic}-{self.partition}"


class Compression(IntEnum):
    """Codec of a batch's records (the low bits of its attributes)."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class TimestampType(IntEnum):
    """Source of a batch's timestamps: the client, or the broker at append time."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class BufferChain:
    """Record batches in several buffers, to be written in sequence without a copy."""

    __slots__ = ("buffers", "size_bytes")

    def __init__(self, buffers: Sequence[Buffer], size_bytes: int) -> None:
        """Chain buffers with a total size of `size_bytes`."""
        self.buffers = buffers
        self.size_bytes = size_bytes

    def __len__(self) -> int:
        """Return the total size in bytes."""
        return self.size_bytes

    def __bytes__(self) -> bytes:
        """Copy the buffers into one."""
        return b"".join(self.buffers)


class BatchHeader:
    """Header of a record batch of format 2 (Kafka's `DefaultRecordBatch`).

    Offsets and sequences are as on the wire: `last_offset_delta` counts from `base_offset`, and
    `base_sequence` wraps from 2^31-1 to 0. Timestamps are in milliseconds since 1970.
    """

    __slots__ = (
        "attributes",
        "base_offset",
        "base_sequence",
        "base_timestamp",
        "batch_length",
        "crc",
        "last_offset_delta",
        "magic",
        "max_timestamp",
        "partition_leader_epoch",
        "producer_epoch",
        "producer_id",
        "record_count",
    )

    def __init__(  # noqa: PLR0917 - the order is the wire's: one unpack fills it
        self,
        base_offset: int,
        batch_length: int,
        partition_leader_epoch: int,
        magic: int,
        crc: int,
        attributes: int,
        last_offset_delta: int,
        base_timestamp: int,
        max_timestamp: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        record_count: int,
    ) -> None:
        """Take the thirteen fields in wire order."""
        self.base_offset = base_offset
        self.batch_length = batch_length
        self.partition_leader_epoch = partition_leader_epoch
        self.magic = magic
        self.crc = crc
        self.attributes = attributes
        self.last_offset_delta = last_offset_delta
        self.base_timestamp = base_timestamp
        self.max_timestamp = max_timestamp
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self.record_count = record_count

    @property
    def compression(self) -> int:
        """Number of the codec; not a member of `Compression` if the batch is invalid."""
        return self.attributes & _COMPRESSION_MASK

    @property
    def timestamp_type(self) -> TimestampType:
        """Source of the records' timestamps."""
        if self.attributes & LOG_APPEND_TIME:
            return TimestampType.LOG_APPEND_TIME
        return TimestampType.CREATE_TIME

    @property
    def is_transactional(self) -> bool:
        """True if the batch belongs to a transaction."""
        return self.attributes & TRANSACTIONAL != 0

    @property
    def is_control(self) -> bool:
        """True if the batch holds a control record instead of user records."""
        return self.attributes & CONTROL != 0

    @property
    def has_delete_horizon(self) -> bool:
        """True if `base_timestamp` is the time from which tombstones may be removed (KIP-534)."""
        return self.attributes & _DELETE_HORIZON != 0

    @property
    def last_offset(self) -> int:
        """Offset of the batch's last record."""
        return self.base_offset + self.last_offset_delta

    @property
    def last_sequence(self) -> int:
        """Sequence of the batch's last record, wrapped; -1 if there are no sequences."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.base_sequence + self.last_offset_delta) % _SEQUENCES

    @property
    def size_bytes(self) -> int:
        """Size of the whole batch, including header and length prefix."""
        return self.batch_length + _LENGTH_PREFIX_BYTES

    def __eq__(self, other: object) -> bool:
        """Compare field by field."""
        if not isinstance(other, BatchHeader):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # a mutable value

    def __repr__(self) -> str:
        """Format every field with its name."""
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"BatchHeader({fields})"


def as_long(value: int) -> int:
    """Wrap a sum that overflows, as Java's long does."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)

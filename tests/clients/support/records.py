"""Sample records, which every client writes and has to read back unchanged.

The same rules are written once per language (`SampleRecords.java`, `samples.go`). Programs print
digests of what they read: the expectation is computed here and nowhere else.
"""

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

COMPRESSIONS: Final[tuple[str, ...]] = ("none", "gzip", "snappy", "lz4", "zstd")
PARTITION_COUNT: Final = 3
RECORD_COUNT: Final = 10_000

# The samples are timestamped in 2023: the seven days that `retention.ms` gives by default are over.
TOPIC_CONFIGS: Final[Mapping[str, str]] = {"retention.ms": "-1"}

_FIRST_TIMESTAMP_MS: Final = 1_700_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record as a user sees it; names of headers may repeat."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


Partitions: TypeAlias = Mapping[int, Sequence[Record]]
"""What each partition holds, in the order of its offsets."""


def sample_record(index: int) -> Record:
    """Return sample record `index`: keys repeat, fields are null or empty, time goes back."""
    return Record(
        key=None if index % 7 == 3 else b"key-%d" % (index % 997),
        value=None if index % 70 == 35 else b"value-%d-%s" % (index, b"kafka" * (index % 40)),
        timestamp_ms=_FIRST_TIMESTAMP_MS + index * 7919 % 1_000_000,
        headers=tuple(
            ("step", b"" if (index + step) % 13 == 0 else b"%d/%d" % (index, step))
            for step in range(index % 3)
        ),
    )


def sample_partitions(
    count: int = RECORD_COUNT, partition_count: int = PARTITION_COUNT
) -> dict[int, list[Record]]:
    """Return `count` sample records dealt out in turn to the partitions."""
    return {
        partition: [sample_record(index) for index in range(partition, count, partition_count)]
        for partition in range(partition_count)
    }


def in_sending_order(partitions: Partitions) -> Iterable[tuple[int, Record]]:
    """Yield (partition, record) as a producer that serves all partitions in turn sends them."""
    longest = max(len(records) for records in partitions.values())
    for position in range(longest):
        for partition, records in partitions.items():
            if position < len(records):
                yield partition, records[position]


def without_timestamps(partitions: Partitions) -> dict[int, list[Record]]:
    """Return the records with timestamp 0, for a client that cannot choose timestamps."""
    return {
        partition: [replace(record, timestamp_ms=0) for record in records]
        for partition, records in partitions.items()
    }


def first_difference(expected: Partitions, received: Partitions) -> str | None:
    """Say where the received records first differ from the expected; None when they are equal."""
    for partition, records in expected.items():
        others = received.get(partition, [])
        for position, (record, other) in enumerate(zip(records, others, strict=False)):
            if record != other:
                return f"partition {partition}, record {position}: expected {record}, got {other}"
        if len(records) != len(others):
            return f"partition {partition}: expected {len(records)} records, got {len(others)}"
    if extra := received.keys() - expected.keys():
        return f"records in partitions {sorted(extra)}, where none were expected"
    return None


def digest(records: Iterable[Record]) -> str:
    """Return the SHA-256 of the records in order, as the programs in other languages compute it.

    Every byte string is preceded by its length as a big-endian int32, -1 when it is null.
    """
    sha256 = hashlib.sha256()
    for record in records:
        sha256.update(_sized(record.key) + _sized(record.value))
        sha256.update(struct.pack(">qi", record.timestamp_ms, len(record.headers)))
        for name, value in record.headers:
            sha256.update(_sized(name.encode()) + _sized(value))
    return sha256.hexdigest()


def _sized(data: bytes | None) -> bytes:
    return struct.pack(">i", -1) if data is None else struct.pack(">i", len(data)) + data

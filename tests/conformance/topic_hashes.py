"""Names for the hashes of topics in records of groups (KIP-1101): they depend on topic ids."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from struct import pack
from typing import Final
from uuid import UUID

from mockbroker.protocol.xxh3 import xxh3_64

TOPICS_MAX: Final = 3
PARTITIONS_MAX: Final = 6


def named_hash(value: int, topic_ids: Mapping[str, UUID]) -> str:
    """Return the topics, with their numbers of partitions, that have a hash together.

    The brokers of scenarios have no racks.
    """
    for topics in _choices(list(topic_ids)):
        hashes = [hash_of_topic(name, topic_ids[name], count) for name, count in topics]
        if value == xxh3_64(pack(f"<{len(hashes)}q", *hashes)):
            shown = ", ".join(f"{name} with {count}" for name, count in topics)
            return f"<hash of {shown}>"
    return "<hash of unknown topics>"


def _choices(names: Collection[str]) -> Iterator[Sequence[tuple[str, int]]]:
    """Yield some topics with any numbers of partitions, in the order of their names."""
    counted = [[(name, count) for count in range(1, PARTITIONS_MAX + 1)] for name in sorted(names)]
    for size in range(1, TOPICS_MAX + 1):
        for chosen in combinations(counted, size):
            yield from product(*chosen)


@lru_cache(1024)
def hash_of_topic(name: str, topic_id: UUID, partitions: int) -> int:
    """Return the hash of one topic on brokers without racks."""
    numbers = pack(f"<{partitions + 1}i", partitions, *range(partitions))
    high, low = topic_id.int >> 64, topic_id.int & (1 << 64) - 1
    units = name.encode("utf-16-le")
    return xxh3_64(pack("<bQQ", 0, high, low) + units + pack("<i", len(name)) + numbers)

"""Iteration order of Java's hash tables, which some of Kafka's responses depend on."""

import sys
from array import array
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from operator import mul
from typing import Final

from mockbroker.protocol.types import TopicPartition, Uuid

_MASK: Final = 0xFFFFFFFF
_INT_BITS: Final = 32
_SMALLEST_INT: Final = -(1 << _INT_BITS - 1)
_LONG_BITS: Final = 64
_LONG_MASK: Final = (1 << _LONG_BITS) - 1
_TIMELINE_FACTOR: Final = -7046029254386353131
_BUCKETS_MIN: Final = 16
_REMEMBERED: Final = 1024
_UTF_16: Final = f"utf-16-{sys.byteorder[0]}e"
_POWERS: Final = [1]
"""Powers of 31, as far as a text needed them."""


@lru_cache(_REMEMBERED)  # every request of a transaction looks up its coordinator
def java_hash_code(text: str) -> int:
    """Return Java's `String.hashCode` of a text: over UTF-16 units, 32 bits, signed."""
    units = array("H", text.encode(_UTF_16, "surrogatepass"))
    while len(_POWERS) < len(units):
        _POWERS.append(31 * _POWERS[-1] & _MASK)
    # A client may send names of 32 KiB, thousands in a request: a loop would take milliseconds.
    code: int = sum(map(mul, reversed(units), _POWERS)) & _MASK
    return code + 2 * _SMALLEST_INT if code >= -_SMALLEST_INT else code


def in_java_hash_order(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """Return partitions in the order of a Java `HashSet`, provided no two share a bucket."""
    known = list(partitions)
    buckets = _bucket_count(len(known))
    return sorted(known, key=lambda partition: (_bucket(_hash_code(partition), buckets), partition))


def texts_in_java_hash_order(
    texts: Iterable[str], copied: int = 0, *, size_max: int = 0
) -> list[str]:
    """Return texts in the order of a Java `HashMap` that they were added to in their order.

    A table that began as the copy of another one with `copied` entries has fewer buckets; one that
    has had `size_max` entries does not shrink.
    """
    coded = [(text, java_hash_code(text)) for text in texts]
    buckets = _bucket_count(max(len(coded), size_max), _copy_size(copied))
    return [text for text, _ in sorted(coded, key=lambda each: _bucket(each[1], buckets))]


def texts_in_computed_order(texts: Iterable[str], expected_size: int) -> list[str]:
    """Return texts in the order of a Java `HashMap` that they were added to by `computeIfAbsent`.

    That method adds a text before those in its bucket, and lets the map grow one text later. The
    map was created for `expected_size` texts.
    """
    coded = [(text, java_hash_code(text)) for text in texts]
    buckets = _bucket_count(len(coded) - 1, 1 << max(expected_size - 1, 0).bit_length())
    latest_first = reversed(coded)
    return [text for text, _ in sorted(latest_first, key=lambda each: _bucket(each[1], buckets))]


def ids_in_java_hash_order(
    ids: Iterable[Uuid], *, paced: Callable[[Iterable[Uuid]], Iterable[Uuid]] = iter
) -> list[Uuid]:
    """Return different ids in the order of a Java `HashMap` of Kafka's `Uuid`.

    Other work may be done while `paced` yields them.
    """
    known = list(ids)
    buckets = _bucket_count(len(known))
    coded = [(_bucket(_hash_code_of_id(each), buckets), at) for at, each in enumerate(paced(known))]
    return [known[at] for _, at in sorted(coded)]


def indexes_in_java_hash_order(
    numbers: Collection[int], *, paced: Callable[[Iterable[int]], Iterable[int]] = iter
) -> list[int]:
    """Return different numbers in the order of a Java `HashMap` of `Integer`; `paced` as above."""
    buckets = _bucket_count(len(numbers))
    coded = [(_bucket(each, buckets), at) for at, each in enumerate(paced(numbers))]
    known = list(numbers)
    return [known[at] for _, at in sorted(coded)]


def numbers_in_java_hash_order(numbers: Collection[int]) -> list[int]:
    """Return small numbers in the order of a Java `HashSet` that is a copy of a collection."""
    buckets = _BUCKETS_MIN
    while buckets <= len(numbers) * 4 // 3:
        buckets *= 2
    return sorted(numbers, key=lambda number: (number & buckets - 1, number))


def id_partitions_in_java_hash_order(
    partitions: Iterable[tuple[Uuid, int]], expected_size: int = 0
) -> list[tuple[Uuid, int]]:
    """Return partitions in the order of a Java `HashMap` of Kafka's `TopicIdPartition`.

    The map was created with room for `expected_size` partitions.
    """
    known = list(partitions)
    room = 1 << (expected_size * 4 // 3).bit_length() if expected_size else _BUCKETS_MIN
    buckets = _bucket_count(len(known), room)
    return sorted(
        known, key=lambda each: _bucket(31 * _hash_code_of_id(each[0]) + each[1], buckets)
    )


def texts_in_timeline_order(texts: Iterable[str], most: int = 0) -> list[str]:
    """Return texts in the order of a `TimelineHashMap` that they were added to in their order.

    The table doubles when three quarters of its next size exceed it, and never shrinks: it has had
    `most` entries. It multiplies hash codes, and returns the entries of a slot in reverse order.
    """
    known = list(texts)
    slots = 2
    while max(len(known), most) * 3 > slots * 4:
        slots *= 2
    shift = _LONG_BITS + 1 - slots.bit_length()
    multiplied = {text: java_hash_code(text) * _TIMELINE_FACTOR & _LONG_MASK for text in known}
    latest_first = known[::-1]
    return sorted(latest_first, key=lambda text: multiplied[text] >> shift)


def _hash_code_of_id(topic_id: Uuid) -> int:
    halves = topic_id.int >> _LONG_BITS ^ topic_id.int & _LONG_MASK
    return halves >> _INT_BITS ^ halves & _MASK


def _hash_code(partition: TopicPartition) -> int:
    return 31 * (31 + partition.partition) + java_hash_code(partition.topic)


def _copy_size(entries: int) -> int:
    return 1 << (entries * 4 // 3).bit_length() if entries else _BUCKETS_MIN


def _bucket_count(size: int, buckets: int = _BUCKETS_MIN) -> int:
    while size * 4 > buckets * 3:
        buckets *= 2
    return buckets


def _bucket(code: int, buckets: int) -> int:
    code &= _MASK
    return (code ^ code >> 16) & buckets - 1

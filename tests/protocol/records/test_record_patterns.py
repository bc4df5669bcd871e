"""Patterns of plain records."""

import pytest

from mockbroker.protocol.records.record import Record, encode_record
from mockbroker.protocol.records.record_patterns import pattern_of


def plain(count: int, key: bytes | None, value: bytes | None, first: int = 0) -> bytes:
    return b"".join(
        encode_record(Record(offset=offset, timestamp=0, key=key, value=value), 0, 0)
        for offset in range(first, first + count)
    )


def compiled(body_bytes: int, key: int) -> tuple[int, int] | None:
    patterns = [pattern_of(body_bytes, key) for _ in range(20)]
    pattern = patterns[-1]
    assert pattern is not None
    found = pattern.match(plain(100, b"abc", b"v" * 10))
    return None if found is None else (found.end(1), found.end())


def test_a_pattern_spans_records_with_offsets_of_one_byte_and_of_two() -> None:
    one = len(plain(64, b"abc", b"v" * 10))
    assert compiled(19, 6) == (one, len(plain(100, b"abc", b"v" * 10)))


@pytest.mark.parametrize(
    ("body_bytes", "key"), [(20, 6), (19, 8), (18, 6), (7, 8), (70, 1), (4, 1)]
)
def test_records_of_another_shape_are_not_matched(body_bytes: int, key: int) -> None:
    assert compiled(body_bytes, key) in {(0, 0), None}


def test_a_rare_shape_has_no_pattern() -> None:
    assert pattern_of(4711, 2) is None


def test_shapes_without_end_do_not_fill_the_memory() -> None:
    for body_bytes in range(6000, 6600):
        assert pattern_of(body_bytes, 1) is None
    assert compiled(19, 6) is not None

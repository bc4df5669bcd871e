"""A map of offsets by ranges equals a map of single offsets."""

from hypothesis import given
from hypothesis import strategies as st

from mockbroker.audit.rules.groups.offset_ranges import OffsetRanges, ValuedRange, gaps

RANGES = st.tuples(st.integers(0, 30), st.integers(0, 9)).map(lambda each: (each[0], sum(each)))


@given(st.lists(RANGES, max_size=12))
def test_values_are_those_of_a_map_of_offsets(changes: list[tuple[int, int]]) -> None:
    ranges, expected = OffsetRanges[int](), dict[int, int]()
    for value, (first, last) in enumerate(changes):
        taken = ranges.take(first, last)
        for piece in taken:
            for offset in range(piece.first, piece.last + 1):
                assert expected.pop(offset) == piece.value
        assert not expected.keys() & set(range(first, last + 1))
        ranges.put(first, last, value)
        expected |= dict.fromkeys(range(first, last + 1), value)
        pieces = list(ranges)
        assert pieces == sorted(pieces)
    found = {offset: each.value for each in ranges for offset in range(each.first, each.last + 1)}
    assert found == expected
    assert ranges.take_all() == pieces if changes else True
    assert list(ranges) == []


def test_gaps_are_what_pieces_leave() -> None:
    pieces = [ValuedRange(2, 3, "a"), ValuedRange(4, 5, "b"), ValuedRange(8, 8, "c")]
    assert list(gaps(0, 10, pieces)) == [(0, 1), (6, 7), (9, 10)]
    assert list(gaps(2, 8, pieces)) == [(6, 7)]
    assert list(gaps(1, 1, [])) == [(1, 1)]

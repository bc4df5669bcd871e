from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mockbroker.audit.rules.applications.offset_spans import OffsetSpans

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=8)


@given(SPANS, st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_spans_are_a_set_of_offsets(
    added: list[tuple[int, int]], cut: int, first: int, last: int
) -> None:
    spans, expected = OffsetSpans(), set[int]()
    for begin, size in added:
        spans.add(begin, begin + size)
        expected |= {*range(begin, begin + size + 1)}
    assert spans.cut(cut) == any(each >= cut for each in expected)
    expected = {each for each in expected if each < cut}
    missing = list(spans.missing(first, last))
    offsets = [each for low, high in missing for each in range(low, high + 1)]
    assert offsets == [each for each in range(first, last + 1) if each not in expected]
    assert all(one[1] + 1 < two[0] for one, two in pairwise(missing))

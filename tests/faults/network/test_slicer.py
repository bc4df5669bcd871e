"""Bytes that come in pieces."""

from mockbroker.faults.network.slicer import Slicer
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_a_slicer_cuts_bytes_and_preserves_their_order() -> None:
    stage = Watched(Slicer(average_size=4, delay=10))
    assert stage.sees(b"abcdefghij", 1.0) == [(b"abcd", 1.0), (b"efgh", 1.01), (b"ij", 1.02)]
    assert stage.sees(b"k", 1.0) == [(b"k", 1.03)]
    assert stage.sees(Ending.CLOSE, 1.0) == [(Ending.CLOSE, 1.04)]
    assert stage.struck == [4, 4, 2]


def test_the_sizes_of_slices_vary_to_both_sides() -> None:
    stage = Watched(Slicer(average_size=3, size_variation=2))
    pieces = stage.sees(b"x" * 2_000, 0.0)
    assert b"".join(data for data, _ in pieces if isinstance(data, bytes)) == b"x" * 2_000
    assert {len(data) for data, _ in pieces[:-1] if isinstance(data, bytes)} == {1, 2, 3, 4, 5}

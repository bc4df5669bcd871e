"""Connections that end after a number of bytes."""

from mockbroker.faults.network.limit_data import LimitData
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_a_limit_passes_the_bytes_within_it_and_then_closes() -> None:
    stage = Watched(LimitData(limit_bytes=5))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.0)]
    assert stage.struck == []
    assert stage.sees(b"defg", 2.0) == [(b"de", 2.0), (Ending.CLOSE, 2.0)]
    assert stage.sees(b"hi", 3.0) == []
    assert stage.struck == [4]


def test_a_limit_of_0_bytes_closes_at_the_first_bytes() -> None:
    assert Watched(LimitData(limit_bytes=0)).sees(b"abc", 1.0) == [(Ending.CLOSE, 1.0)]

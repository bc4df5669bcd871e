"""Connections that are closed later."""

from mockbroker.faults.network.slow_close import SlowClose
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_a_slow_close_waits_and_a_reset_does_not() -> None:
    stage = Watched(SlowClose(delay=2_000))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.0)]
    assert stage.struck == []
    assert stage.sees(Ending.CLOSE, 1.0) == [(Ending.CLOSE, 3.0)]
    assert stage.sees(Ending.RESET, 1.0) == [(Ending.RESET, 1.0)]
    assert stage.struck == [0]

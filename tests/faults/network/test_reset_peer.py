"""Connections that are reset."""

from mockbroker.faults.network.reset_peer import ResetPeer
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_a_reset_comes_once_and_a_time_after_the_first_bytes() -> None:
    stage = Watched(ResetPeer(after=100))
    assert stage.stage.ends_at_s(1.0) is None
    assert stage.sees(b"abc", 1.0) == [(Ending.RESET, 1.1)]
    assert stage.sees(b"de", 1.05) == []
    assert stage.struck == [3, 2]

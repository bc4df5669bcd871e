"""The state clock of a running cluster."""

import pytest

from mockbroker.server.wall_clock import WallClock
from mockbroker.state.clock import ClockMode


class RealTime:
    """Real time under a test's control."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000

    def pass_ms(self, by_ms: int) -> None:
        self.ns += by_ms * 1_000_000


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> RealTime:
    """Replace real time with a controlled one."""
    time = RealTime()
    monkeypatch.setattr("time.time_ns", lambda: time.ns)
    return time


def test_a_clock_returns_real_time_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_123_456_789)
    assert WallClock().now_ms() == 1_700_000_000_123
    assert WallClock("real").now_ms() == 1_700_000_000_123


def test_a_clock_continues_after_a_jump(real: RealTime) -> None:
    clock = WallClock()
    assert clock.now_ms() == 1_000
    assert clock.advance(500) == 1_500
    real.pass_ms(250)
    assert (clock.now_ms(), clock.ahead_ms, clock.clients.behind_ms) == (1_750, 500, 500)
    assert clock.clients.is_steady


def test_a_manual_clock_stands_still_while_its_clients_clocks_run(real: RealTime) -> None:
    clock = WallClock("manual")
    real.pass_ms(250)
    assert (clock.now_ms(), clock.clients.behind_ms) == (1_000, -250)
    assert clock.advance(1_000) == 2_000
    assert (clock.ahead_ms, clock.mode, clock.clients.is_steady) == (750, "manual", False)


def test_a_clock_stands_still_between_freeze_and_resume(real: RealTime) -> None:
    clock = WallClock()
    clock.advance(100)
    assert clock.freeze() == 1_100
    real.pass_ms(250)
    assert (clock.now_ms(), clock.mode, clock.clients.is_steady) == (1_100, "manual", False)
    assert clock.resume() == 1_100
    real.pass_ms(5)
    assert (clock.now_ms(), clock.mode, clock.clients.is_steady) == (1_105, "offset", True)
    assert clock.ahead_ms == -150


def test_a_real_time_clock_neither_jumps_nor_stops(real: RealTime) -> None:
    clock = WallClock("real")
    with pytest.raises(ValueError, match="only follows real time"):
        clock.advance(1)
    with pytest.raises(ValueError, match="only follows real time"):
        clock.freeze()
    real.pass_ms(7)
    assert (clock.now_ms(), clock.mode, clock.resume()) == (1_007, "real", 1_007)


@pytest.mark.parametrize("mode", ["offset", "manual"])
def test_a_clock_can_be_reset(real: RealTime, mode: ClockMode) -> None:
    clock = WallClock(mode)
    clients = clock.clients
    clock.advance(900)
    clock.freeze()
    real.pass_ms(7)
    clock.reset()
    assert (clock.now_ms(), clock.mode, clock.ahead_ms) == (1_007, mode, 0)
    assert clock.clients is clients

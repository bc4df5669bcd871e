"""The state clock of a running cluster."""

import pytest

from mockbroker.wall_clock import WallClock


def test_it_tells_real_time_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_123_456_789)
    assert WallClock().now_ms() == 1_700_000_000_123


def test_it_goes_on_from_where_it_jumped_to(monkeypatch: pytest.MonkeyPatch) -> None:
    times_ns = iter([1_000_000_000, 1_000_000_000, 1_250_000_000])
    monkeypatch.setattr("time.time_ns", lambda: next(times_ns))
    clock = WallClock()
    assert clock.now_ms() == 1_000
    assert clock.advance(500) == 1_500
    assert clock.now_ms() == 1_750

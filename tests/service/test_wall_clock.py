"""The state clock of a running cluster."""

import pytest

from mockbroker.wall_clock import WallClock


def test_it_tells_real_time_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_123_456_789)
    assert WallClock().now_ms() == 1_700_000_000_123

"""Connections that carry nothing."""

import pytest

from mockbroker.faults.network.timeout import Timeout
from tests.support.toxics import Watched


@pytest.mark.parametrize(("timeout_ms", "ends_at_s"), [(0, None), (5_000, 6.0)])
def test_a_timeout_loses_all_and_ends(timeout_ms: int, ends_at_s: float | None) -> None:
    stage = Watched(Timeout(timeout=timeout_ms))
    assert stage.stage.ends_at_s(1.0) == ends_at_s
    assert stage.sees(b"abc", 1.0) == []
    assert stage.struck == [3]

"""The costs of an exploration are measured as multiples."""

import pytest

from tools.exploration_costs import ratio, send_with_wire

pytestmark = pytest.mark.slow


def test_a_run_under_an_exploration_takes_a_multiple_of_its_own_time() -> None:
    alone_s, times = ratio(send_with_wire, 4)
    assert alone_s > 0
    assert 0.5 < times < 20

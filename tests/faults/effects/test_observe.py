"""Faults that only count."""

import pytest

from mockbroker.faults.effects.observe import Observe
from mockbroker.protocol.errors import ErrorCode
from tests.support.faults import Plan, produced


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_observing_changes_nothing(plan: Plan) -> None:
    fault = plan.fault(Observe(), topic="orders")
    assert produced(plan.brokers.connect(), 0) == {("orders", 0): ErrorCode.NONE}
    assert (fault.calls, fault.hits, plan.ends()) == (1, 1, [1, 0])

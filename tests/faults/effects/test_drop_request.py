"""Requests that never arrive."""

import pytest

from mockbroker.faults.effects.drop_request import DropRequest
from tests.support.faults import VERSION, Plan, produce_to


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_a_dropped_request_is_not_applied(plan: Plan) -> None:
    plan.fault(DropRequest(), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up
    assert plan.ends() == [0, 0]

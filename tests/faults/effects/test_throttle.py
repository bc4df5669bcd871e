"""Answers with a throttle time."""

import pytest

from mockbroker.faults.effects.throttle import Throttle
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.faults import VERSION, Plan, produce_to


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_a_throttled_answer_has_the_throttle_time(plan: Plan) -> None:
    plan.fault(Throttle(250), api=ApiKey.PRODUCE)
    answer = plan.brokers.connect().ask(produce_to(0), VERSION, ProduceResponse)
    assert answer.throttle_time_ms == 250
    assert plan.ends() == [1, 0]


def test_a_throttle_needs_a_field_in_some_version() -> None:
    Throttle(1).check(ApiKey.HEARTBEAT, range(5))
    with pytest.raises(ValueError, match="SaslHandshake has no throttle_time_ms"):
        Throttle(1).check(ApiKey.SASL_HANDSHAKE, range(2))

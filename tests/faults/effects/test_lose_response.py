"""Answers that never come."""

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.trigger import Times
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.faults.test_call_facts import fetch_in_session
from tests.support.faults import VERSION, Plan, produce_to, produced


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_a_lost_response_is_applied(plan: Plan) -> None:
    plan.fault(LoseResponse(), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up
    assert plan.ends() == [1, 0]


def test_a_lost_response_of_a_call_that_waits_is_lost_when_it_comes(plan: Plan) -> None:
    plan.fault(LoseResponse(), api=ApiKey.FETCH)
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0)
    request.max_wait_ms, request.min_bytes = 500, 1
    peer = plan.brokers.connect()
    peer.send(request, 12)
    assert peer.new_frames() == []
    assert not peer.is_hung_up
    plan.brokers.pass_time(500)
    assert peer.new_frames() == []
    assert peer.is_hung_up


def test_where_there_is_no_response_silence_loses_no_later_one(plan: Plan) -> None:
    plan.fault(LoseResponse(how="silence"), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0, acks=0), VERSION)
    assert plan.ends() == [1, 0]
    assert produced(peer, 1) == {("orders", 1): ErrorCode.NONE}


@pytest.mark.parametrize(
    ("effect", "handled"),
    [(LoseResponse(how="silence"), [1, 2]), (DropRequest(how="silence"), [0, 0])],
    ids=["response", "request"],
)
def test_a_connection_loses_in_silence_what_comes_after_a_loss(
    plan: Plan, effect: Effect, handled: list[int]
) -> None:
    """The response to the next request would be taken for the lost one: brokers keep the order."""
    fault = plan.fault(effect, Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    peer.send(produce_to(1), VERSION)
    plan.plan.remove(fault)
    peer.send(produce_to(1), VERSION)
    assert peer.new_frames() == []
    assert not peer.is_hung_up
    assert plan.ends() == handled
    other = plan.brokers.connect().ask(produce_to(1), VERSION, ProduceResponse)
    (partition,) = other.responses[0].partition_responses
    assert (partition.error_code, partition.base_offset) == (ErrorCode.NONE, handled[1])

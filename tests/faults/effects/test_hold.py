"""Held calls, and their release."""

import pytest

from mockbroker.faults.conditions import Condition
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import Times
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.faults.test_call_facts import fetch_in_session
from tests.support.faults import (
    VERSION,
    Plan,
    codes,
    produce_to,
)
from tests.support.in_process import NOW_MS, Peer, read_answer
from tests.support.journals import Notes
from tests.support.transactions import Transactor, new_brokers


@pytest.fixture
def plan() -> Plan:
    return Plan()


def answers(peer: Peer) -> list[dict[tuple[str, int], int]]:
    return [
        codes(read_answer(frame, ApiKey.PRODUCE, VERSION, ProduceResponse)[1])
        for frame in peer.new_frames()
    ]


DONE = {("orders", 0): ErrorCode.NONE}


def test_a_held_request_is_applied_when_it_is_released(plan: Plan) -> None:
    fault = plan.fault(Hold(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert answers(peer) == []
    assert (len(fault.held), fault.released, plan.ends()) == (1, 0, [0, 0])
    assert plan.plan.release(fault) == 1
    assert answers(peer) == [DONE]
    assert (len(fault.held), fault.released, plan.ends()) == (0, 1, [1, 0])
    assert fault.last_error is ErrorCode.NONE
    assert plan.plan.release(fault) == 0


def test_the_connection_serves_nothing_else_meanwhile(plan: Plan) -> None:
    fault = plan.fault(Hold(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    peer.send(produce_to(1), VERSION)
    assert answers(peer) == []
    plan.plan.release(fault)
    assert answers(peer) == [DONE, {("orders", 1): ErrorCode.NONE}]


def test_a_held_request_is_applied_after_its_client_has_left(plan: Plan) -> None:
    fault = plan.fault(Hold(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    peer.leave()
    plan.plan.release(fault)
    plan.brokers.loop.run()
    assert plan.ends() == [1, 0]
    assert fault.last_error is ErrorCode.NONE


def test_a_hold_that_does_not_block_is_never_answered(plan: Plan) -> None:
    fault = plan.fault(Hold(block_connection=False), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    peer.send(produce_to(1), VERSION)
    assert answers(peer) == [{("orders", 1): ErrorCode.NONE}]
    plan.plan.release(fault)
    assert answers(peer) == []
    assert plan.ends() == [1, 1]


def test_a_held_response_is_applied_at_once(plan: Plan) -> None:
    fault = plan.fault(HoldResponse(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert answers(peer) == []
    assert plan.ends() == [1, 0]
    plan.plan.release(fault)
    assert answers(peer) == [DONE]


@pytest.mark.parametrize(("effect", "applied"), [(Hold(250), 0), (HoldResponse(250), 1)])
def test_a_hold_with_a_duration_ends_in_real_time(
    plan: Plan, effect: Hold | HoldResponse, applied: int
) -> None:
    plan.fault(effect, Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    plan.brokers.loop.advance(0.249)
    assert answers(peer) == []
    assert plan.ends() == [applied, 0]
    plan.brokers.loop.advance(0.001)
    assert answers(peer) == [DONE]


def test_a_condition_releases_the_requests_that_wait_for_it_at_once(plan: Plan) -> None:
    fault = plan.fault(Hold(Condition(lambda _: plan.ends()[1] > 0)), Times(1), partition=0)
    held, other = plan.brokers.connect(), plan.brokers.connect()
    held.send(produce_to(0), VERSION)
    assert answers(held) == []
    assert answers(other) == []
    other.send(produce_to(1), VERSION)
    assert fault.released == 1
    assert answers(held) == [DONE]
    assert plan.brokers.service.holds is None


def test_the_held_request_is_handled_at_the_time_of_its_release() -> None:
    plan = Plan(configs={"log.message.timestamp.type": "LogAppendTime"})
    fault = plan.fault(Hold(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    plan.brokers.clock.advance(60_000)
    plan.brokers.service.read_clock()
    plan.plan.release(fault)
    (frame,) = peer.new_frames()
    _, answer = read_answer(frame, ApiKey.PRODUCE, VERSION, ProduceResponse)
    partition = answer.responses[0].partition_responses[0]
    assert partition.log_append_time_ms == NOW_MS + 60_000


def test_a_held_fetch_may_wait_on_after_its_release(plan: Plan) -> None:
    fault = plan.fault(Hold(), Times(1), api=ApiKey.FETCH)
    peer, other = plan.brokers.connect(), plan.brokers.connect()
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0)
    request.max_wait_ms, request.min_bytes = 10_000, 1
    peer.send(request, 12)
    plan.plan.release(fault)
    assert peer.new_frames() == []
    other.send(produce_to(0), VERSION)
    answer = peer.receive(ApiKey.FETCH, 12, FetchResponse)
    assert answer.responses[0].partitions[0].records


def test_the_answer_of_a_fetch_that_waited_can_be_held(plan: Plan) -> None:
    fault = plan.fault(HoldResponse(), Times(1), api=ApiKey.FETCH)
    peer, other = plan.brokers.connect(), plan.brokers.connect()
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0)
    request.max_wait_ms, request.min_bytes = 10_000, 1
    peer.send(request, 12)
    other.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert len(fault.held) == 1
    plan.plan.release(fault)
    answer = peer.receive(ApiKey.FETCH, 12, FetchResponse)
    assert answer.responses[0].partitions[0].records


def test_a_held_request_without_acks_gets_no_answer(plan: Plan) -> None:
    fault = plan.fault(Hold(), Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0, acks=0), VERSION)
    plan.plan.release(fault)
    assert answers(peer) == []
    assert plan.ends() == [1, 0]
    assert not peer.is_hung_up
    peer.send(produce_to(0), VERSION)
    assert answers(peer) == [DONE]


def test_markers_are_written_before_the_answer_however_short_its_delay() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    plan = FaultPlan(brokers.service)
    fault = plan.add(Selectors({}))
    fault.effect, fault.trigger = HoldResponse(1), Times(1)
    plan.faults_changed()
    notes = Notes(brokers)
    request = EndTxnRequest(
        transactional_id=producer.transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        committed=True,
    )
    brokers.connect(producer.coordinator_id).send(request, 3)
    brokers.loop.advance(0.001, timers_first=True)
    kinds = notes.kinds()
    assert kinds.index("marker") < kinds.index("released") < kinds.index("answer")

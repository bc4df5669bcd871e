"""The faults of a cluster: which fire, in which order, and when calls are not wrapped."""

import pytest

from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.effects.observe import Observe
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import OnCall, Times, WithProbability
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.faults import (
    VERSION,
    Plan,
    codes,
    produce_to,
    produced,
)

STORAGE = Answer(ErrorCode.KAFKA_STORAGE_ERROR)
TIMED_OUT = Answer(ErrorCode.REQUEST_TIMED_OUT)
BOTH = (("orders", 0), ("orders", 1))


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_faults_have_names_and_no_two_the_same(plan: Plan) -> None:
    assert plan.plan.add(Selectors({})).name == "fault-1"
    assert plan.plan.add(Selectors({}), "lost-ack").name == "lost-ack"
    with pytest.raises(ValueError, match="a fault 'lost-ack' already exists"):
        plan.plan.add(Selectors({}), "lost-ack")


def test_a_fault_without_an_effect_does_nothing(plan: Plan) -> None:
    fault = plan.plan.add(Selectors({}))
    produced(plan.brokers.connect(), 0)
    assert (fault.calls, plan.brokers.service.faults) == (0, None)


def test_finished_faults_are_no_longer_in_the_request_path(plan: Plan) -> None:
    plan.fault(STORAGE, Times(1), topic="orders")
    peer = plan.brokers.connect()
    assert plan.brokers.service.faults is plan.plan
    assert produced(peer, 0) == {("orders", 0): ErrorCode.KAFKA_STORAGE_ERROR}
    assert plan.brokers.service.faults is None
    assert produced(peer, 0) == {("orders", 0): ErrorCode.NONE}


def test_common_case_produce_goes_through_the_faults_and_then_the_fast_path_again(
    plan: Plan,
) -> None:
    peer = plan.brokers.connect()
    for _ in range(3):
        produced(peer, 0)
    before = plan.brokers.fast_answers
    assert before
    fault = plan.fault(Observe(), topic="orders")
    produced(peer, 0)
    assert (fault.hits, plan.brokers.fast_answers) == (1, before)
    plan.plan.remove(fault)
    produced(peer, 0)
    assert plan.brokers.fast_answers == before + 1


def test_faults_for_different_items_fire_on_the_same_call(plan: Plan) -> None:
    plan.fault(STORAGE, partition=0)
    plan.fault(TIMED_OUT, partition=1)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert [answer[key] for key in BOTH] == [
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.REQUEST_TIMED_OUT,
    ]


def test_the_fault_that_was_made_first_is_outermost(plan: Plan) -> None:
    lost = plan.fault(LoseResponse(how="silence"), Times(1), topic="orders")
    refused = plan.fault(STORAGE, Times(1), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert (lost.hits, refused.hits, plan.ends()) == (1, 1, [0, 0])


def test_each_fault_counts_its_own_calls(plan: Plan) -> None:
    second = plan.fault(STORAGE, OnCall(2), partition=1)
    peer = plan.brokers.connect()
    seen = [produced(peer, *indexes)["orders", 1] for indexes in ((0, 1), (1,), (1,))]
    assert seen == [0, ErrorCode.KAFKA_STORAGE_ERROR, 0]
    assert produced(peer, 0) == {("orders", 0): 0}
    assert (second.calls, second.hits) == (2, 1)


def test_random_choices_depend_on_the_seed_alone() -> None:
    def error_codes() -> list[int]:
        plan = Plan()
        plan.fault(STORAGE, WithProbability(0.5), topic="orders")
        peer = plan.brokers.connect()
        return [produced(peer, 0)["orders", 0] for _ in range(40)]

    first = error_codes()
    assert first == error_codes()
    assert {0, ErrorCode.KAFKA_STORAGE_ERROR} == set(first)


def test_a_removed_fault_fires_no_more_and_holds_nothing(plan: Plan) -> None:
    fault = plan.fault(Hold(), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    plan.plan.remove(fault)
    assert len(peer.new_frames()) == 1
    assert produced(peer, 0) == {("orders", 0): ErrorCode.NONE}
    plan.plan.remove(fault)
    assert plan.plan.faults == []


def test_a_plan_that_is_closed_leaves_no_timer_behind(plan: Plan) -> None:
    timers = plan.brokers.loop.timers
    plan.fault(Hold(10_000), topic="orders")
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert plan.brokers.loop.timers == timers + 1
    plan.plan.close()
    assert plan.brokers.loop.timers == timers
    assert (plan.brokers.service.faults, plan.brokers.service.holds) == (None, None)


def test_an_exception_in_a_predicate_fails_one_call_only(plan: Plan) -> None:
    fault = plan.plan.add(Selectors({"api": ApiKey.PRODUCE}, lambda _: bool(1 // 0)))
    fault.effect = Observe()
    plan.plan.faults_changed()
    peer = plan.brokers.connect()
    answer = codes(peer.ask(produce_to(0), VERSION, ProduceResponse))
    assert answer == {("orders", 0): ErrorCode.UNKNOWN_SERVER_ERROR}
    assert not peer.is_hung_up

"""What happens to a call, and whether the broker has applied it."""

import pytest

from mockbroker.faults.effects import (
    AnswerError,
    DropRequest,
    Effect,
    LoseResponse,
    Observe,
    Throttle,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.faults.test_call_facts import fetch_in_session
from tests.support.faults import (
    VERSION,
    Plan,
    produce_to,
    produced,
)
from tests.support.requests import metadata

NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
APPLIED = AnswerError(NOT_LEADER, applies=True)
REFUSED = AnswerError(NOT_LEADER, applies=False)


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_an_answered_error_is_not_applied_and_the_others_are(plan: Plan) -> None:
    plan.rule(REFUSED, topic="orders", partition=1)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): ErrorCode.NONE, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [1, 0]


def test_an_error_after_applying_is_applied(plan: Plan) -> None:
    plan.rule(APPLIED, topic="orders", partition=1)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): ErrorCode.NONE, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [1, 1]


def test_without_a_partition_all_are_meant(plan: Plan) -> None:
    plan.rule(REFUSED, api=ApiKey.PRODUCE)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): NOT_LEADER, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [0, 0]


def test_what_both_rules_are_about_meets_the_first(plan: Plan) -> None:
    plan.rule(AnswerError(ErrorCode.REQUEST_TIMED_OUT, applies=True), partition=1)
    plan.rule(REFUSED, topic="orders")
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): NOT_LEADER, ("orders", 1): ErrorCode.REQUEST_TIMED_OUT}
    assert plan.ends() == [0, 0]


@pytest.mark.parametrize("effect", [REFUSED, APPLIED], ids=str)
def test_who_wants_no_answer_is_hung_up_on(plan: Plan, effect: Effect) -> None:
    plan.rule(effect, topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0, acks=0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up


@pytest.mark.parametrize("version", [6, 7, 12, 13])
def test_a_fetch_keeps_its_session_when_a_partition_fails(plan: Plan, version: int) -> None:
    peer = plan.brokers.connect()
    produced(peer, 0, 1)
    rule = plan.rule(REFUSED, topic="orders", partition=1)
    epoch = 0 if version >= 7 else -1
    request = fetch_in_session(plan.brokers, version, 0, epoch, 0, 1)
    answer = peer.ask(request, version, FetchResponse)
    (topic,) = answer.responses
    failed = {p.partition_index: p.error_code for p in topic.partitions}
    assert failed == {0: ErrorCode.NONE, 1: NOT_LEADER}
    assert answer.error_code == ErrorCode.NONE
    if version < 7:
        return
    plan.plan.remove(rule)
    request = fetch_in_session(plan.brokers, version, answer.session_id, 1)
    answer = peer.ask(request, version, FetchResponse)
    found = [(p.partition_index, p.error_code) for t in answer.responses for p in t.partitions]
    assert (1, ErrorCode.NONE) in found


def test_a_fetch_that_fails_waits_for_nothing(plan: Plan) -> None:
    plan.rule(REFUSED, topic="orders", partition=1)
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0, 1)
    request.max_wait_ms, request.min_bytes = 30_000, 1 << 20
    answer = plan.brokers.connect().ask(request, 12, FetchResponse)
    assert len(answer.responses[0].partitions) == 2


def test_a_whole_answer_can_be_the_error(plan: Plan) -> None:
    error = ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    plan.rule(AnswerError(error, applies=False, top_level=True), topic="orders", partition=1)
    request = fetch_in_session(plan.brokers, 13, 0, 0, 0, 1)
    answer = plan.brokers.connect().ask(request, 13, FetchResponse)
    assert (answer.error_code, answer.responses) == (error, [])


def test_an_answer_that_is_written_already_can_be_changed(plan: Plan) -> None:
    peer = plan.brokers.connect()
    peer.ask(metadata(), 12, MetadataResponse)
    plan.rule(AnswerError(ErrorCode.LEADER_NOT_AVAILABLE, applies=True), api=ApiKey.METADATA)
    plan.rule(Throttle(70), api=ApiKey.METADATA)
    answer = peer.ask(metadata(), 12, MetadataResponse)
    assert not answer.brokers  # a client that asks for all topics has no item: all is the error


def test_a_lost_response_is_applied(plan: Plan) -> None:
    plan.rule(LoseResponse(), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up
    assert plan.ends() == [1, 0]


def test_a_dropped_request_is_not(plan: Plan) -> None:
    plan.rule(DropRequest(), topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up
    assert plan.ends() == [0, 0]


@pytest.mark.parametrize("effect", [LoseResponse(hang_up=False), DropRequest(hang_up=False)])
def test_in_silence_the_connection_goes_on(plan: Plan, effect: Effect) -> None:
    plan.rule(effect, topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.new_frames() == []
    assert not peer.is_hung_up
    answer = peer.ask(produce_to(0, topic="payments"), VERSION, ProduceResponse)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE


def test_a_lost_response_of_a_call_that_waits_is_lost_when_it_comes(plan: Plan) -> None:
    plan.rule(LoseResponse(), api=ApiKey.FETCH)
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0)
    request.max_wait_ms, request.min_bytes = 500, 1
    peer = plan.brokers.connect()
    peer.send(request, 12)
    assert peer.new_frames() == []
    assert not peer.is_hung_up
    plan.brokers.pass_time(500)
    assert peer.new_frames() == []
    assert peer.is_hung_up


def test_a_throttled_answer_says_so(plan: Plan) -> None:
    plan.rule(Throttle(250), api=ApiKey.PRODUCE)
    answer = plan.brokers.connect().ask(produce_to(0), VERSION, ProduceResponse)
    assert answer.throttle_time_ms == 250
    assert plan.ends() == [1, 0]


def test_to_observe_changes_nothing(plan: Plan) -> None:
    rule = plan.rule(Observe(), topic="orders")
    assert produced(plan.brokers.connect(), 0) == {("orders", 0): ErrorCode.NONE}
    assert (rule.calls, rule.hits, plan.ends()) == (1, 1, [1, 0])


def test_an_error_needs_a_field_in_every_version() -> None:
    REFUSED.check(ApiKey.PRODUCE, range(14))
    top = AnswerError(NOT_LEADER, applies=False, top_level=True)
    top.check(ApiKey.FETCH, range(7, 19))
    with pytest.raises(ValueError, match="Fetch v4 has no error code at its top; it has responses"):
        top.check(ApiKey.FETCH, range(4, 19))


def test_a_throttle_needs_a_field_in_some_version() -> None:
    Throttle(1).check(ApiKey.HEARTBEAT, range(5))
    with pytest.raises(ValueError, match="SaslHandshake has no throttle_time_ms"):
        Throttle(1).check(ApiKey.SASL_HANDSHAKE, range(2))


def test_effects_are_written_as_they_are_called() -> None:
    effects = (REFUSED, APPLIED, LoseResponse(), DropRequest(hang_up=False), Throttle(5), Observe())
    assert [str(effect) for effect in effects] == [
        "answer(NOT_LEADER_OR_FOLLOWER)",
        "apply_then_answer(NOT_LEADER_OR_FOLLOWER)",
        "lose_response()",
        "drop_request(how='silence')",
        "throttle(5)",
        "observe()",
    ]

"""Answers with an error, with the request applied or not."""

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer, ApplyThenAnswer
from mockbroker.faults.effects.throttle import Throttle
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from tests.faults.test_call_facts import fetch_in_session
from tests.support.faults import (
    VERSION,
    Plan,
    produce_to,
    produced,
)
from tests.support.requests import metadata

NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
APPLIED = ApplyThenAnswer(NOT_LEADER)
REFUSED = Answer(NOT_LEADER)


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_an_answered_error_is_not_applied_and_the_others_are(plan: Plan) -> None:
    plan.fault(REFUSED, topic="orders", partition=1)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): ErrorCode.NONE, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [1, 0]


def test_an_error_after_applying_is_applied(plan: Plan) -> None:
    plan.fault(APPLIED, topic="orders", partition=1)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): ErrorCode.NONE, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [1, 1]


def test_without_a_partition_all_partitions_get_the_error(plan: Plan) -> None:
    plan.fault(REFUSED, api=ApiKey.PRODUCE)
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): NOT_LEADER, ("orders", 1): NOT_LEADER}
    assert plan.ends() == [0, 0]


def test_a_partition_that_two_faults_match_gets_the_first_effect(plan: Plan) -> None:
    plan.fault(ApplyThenAnswer(ErrorCode.REQUEST_TIMED_OUT), partition=1)
    plan.fault(REFUSED, topic="orders")
    answer = produced(plan.brokers.connect(), 0, 1)
    assert answer == {("orders", 0): NOT_LEADER, ("orders", 1): ErrorCode.REQUEST_TIMED_OUT}
    assert plan.ends() == [0, 0]


@pytest.mark.parametrize("effect", [REFUSED, APPLIED], ids=str)
def test_a_request_without_acks_has_its_connection_closed(plan: Plan, effect: Effect) -> None:
    plan.fault(effect, topic="orders")
    peer = plan.brokers.connect()
    peer.send(produce_to(0, acks=0), VERSION)
    assert peer.new_frames() == []
    assert peer.is_hung_up


@pytest.mark.parametrize("version", [6, 7, 12, 13])
def test_a_fetch_keeps_its_session_when_a_partition_fails(plan: Plan, version: int) -> None:
    peer = plan.brokers.connect()
    produced(peer, 0, 1)
    fault = plan.fault(REFUSED, topic="orders", partition=1)
    epoch = 0 if version >= 7 else -1
    request = fetch_in_session(plan.brokers, version, 0, epoch, 0, 1)
    answer = peer.ask(request, version, FetchResponse)
    (topic,) = answer.responses
    failed = {p.partition_index: p.error_code for p in topic.partitions}
    assert failed == {0: ErrorCode.NONE, 1: NOT_LEADER}
    assert answer.error_code == ErrorCode.NONE
    if version < 7:
        return
    plan.plan.remove(fault)
    request = fetch_in_session(plan.brokers, version, answer.session_id, 1)
    answer = peer.ask(request, version, FetchResponse)
    found = [(p.partition_index, p.error_code) for t in answer.responses for p in t.partitions]
    assert (1, ErrorCode.NONE) in found


def test_a_failed_fetch_does_not_wait(plan: Plan) -> None:
    plan.fault(REFUSED, topic="orders", partition=1)
    request = fetch_in_session(plan.brokers, 12, 0, -1, 0, 1)
    request.max_wait_ms, request.min_bytes = 30_000, 1 << 20
    answer = plan.brokers.connect().ask(request, 12, FetchResponse)
    assert len(answer.responses[0].partitions) == 2


def test_a_whole_answer_can_be_the_error(plan: Plan) -> None:
    error = ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    plan.fault(Answer(error, top_level=True), topic="orders", partition=1)
    request = fetch_in_session(plan.brokers, 13, 0, 0, 0, 1)
    answer = plan.brokers.connect().ask(request, 13, FetchResponse)
    assert (answer.error_code, answer.responses) == (error, [])


def test_an_answer_that_is_written_already_can_be_changed(plan: Plan) -> None:
    peer = plan.brokers.connect()
    peer.ask(metadata(), 12, MetadataResponse)
    plan.fault(ApplyThenAnswer(ErrorCode.LEADER_NOT_AVAILABLE), api=ApiKey.METADATA)
    plan.fault(Throttle(70), api=ApiKey.METADATA)
    answer = peer.ask(metadata(), 12, MetadataResponse)
    assert not answer.brokers  # a client that asks for all topics has no item: all is the error


def test_an_error_needs_a_field_in_every_version() -> None:
    REFUSED.check(ApiKey.PRODUCE, range(14))
    top = Answer(NOT_LEADER, top_level=True)
    top.check(ApiKey.FETCH, range(7, 19))
    with pytest.raises(ValueError, match="Fetch v4 has no error code at its top; it has responses"):
        top.check(ApiKey.FETCH, range(4, 19))

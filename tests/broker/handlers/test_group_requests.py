"""Shared steps of membership requests: immediate and delayed responses, logged errors."""

from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.group_requests import when_answered
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.heartbeat import HeartbeatResponse
from mockbroker.state.group.classic.group_answers import Awaited, SyncResult
from tests.support.group_members import (
    GROUP,
    Member,
    group_brokers,
    stable,
)
from tests.support.logged import Logged

RESPONSE = HeartbeatResponse()


def respond(_result: SyncResult) -> HeartbeatResponse:
    return RESPONSE


def test_an_available_response_is_sent_at_once() -> None:
    assert when_answered(Awaited(SyncResult()), respond) is RESPONSE


def test_a_later_response_is_delayed_without_a_timeout() -> None:
    awaited: Awaited[SyncResult] = Awaited()
    delayed = when_answered(awaited, respond)
    assert isinstance(delayed, DelayedResponse)
    assert (delayed.max_wait_ms, list(delayed.watched)) == (None, [awaited])
    assert delayed.attempt(False) is None
    awaited.answer = SyncResult()
    assert delayed.attempt(False) is RESPONSE


def test_a_refusal_is_logged_but_not_a_required_next_step(logged: Logged) -> None:
    brokers = group_brokers()
    member = Member(brokers)
    stable(member)
    assert not logged.named("join_group_refused")
    member.member_id = "a stranger"
    member.send_join()
    assert member.joined().error_code == ErrorCode.UNKNOWN_MEMBER_ID
    (event,) = logged.named("join_group_refused")
    assert event["group_id"] == GROUP
    assert "a stranger" in str(event["why"])

"""Heartbeat keeps sessions alive, reports rebalances, and refuses unknown members."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from tests.support.group_members import (
    SESSION_TIMEOUT_MS,
    Member,
    group_brokers,
    stable,
)


@pytest.mark.parametrize("version", range(5))
def test_a_member_stays_in_every_version(version: int) -> None:
    member = Member(group_brokers())
    stable(member)
    assert member.heartbeat(version=version) == ErrorCode.NONE


def test_a_silent_member_is_removed() -> None:
    brokers = group_brokers()
    member = Member(brokers)
    stable(member)
    brokers.clock.advance(SESSION_TIMEOUT_MS - 1)
    assert member.heartbeat() == ErrorCode.NONE
    brokers.clock.advance(SESSION_TIMEOUT_MS)
    brokers.state.advance_to(brokers.clock.now_ms())
    assert member.heartbeat() == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_former_instance_is_fenced() -> None:
    brokers = group_brokers()
    former = Member(brokers, instance="i")
    stable(former)
    Member(brokers, instance="i").join()
    assert former.heartbeat() == ErrorCode.FENCED_INSTANCE_ID


def test_an_old_generation_is_refused() -> None:
    member = Member(group_brokers())
    stable(member)
    member.generation_id -= 1
    assert member.heartbeat() == ErrorCode.ILLEGAL_GENERATION

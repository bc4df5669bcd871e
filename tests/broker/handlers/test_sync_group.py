"""SyncGroup: assignments are delayed until the leader's request, in each version."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from tests.support.group_members import (
    GROUP,
    Member,
    gather,
    group_brokers,
    stable,
)


@pytest.mark.parametrize("version", range(6))
def test_a_follower_waits_for_the_leader_in_every_version(version: int) -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    gather(leader, follower)
    follower.send_sync(version=version)
    assert not follower.peer.new_frames()
    assert leader.assign({follower.member_id: b"yours"}).error_code == ErrorCode.NONE
    answer = follower.synced(version=version)
    assert (answer.error_code, answer.assignment) == (ErrorCode.NONE, b"yours")
    assert answer.protocol_name == ("range" if version >= 5 else None)


@pytest.mark.parametrize(
    ("protocol_type", "protocol_name"), [(None, None), ("consumer", None), (None, "range")]
)
def test_version_5_names_the_protocol(protocol_type: str | None, protocol_name: str | None) -> None:
    brokers = group_brokers()
    member = Member(brokers)
    stable(member)
    request = SyncGroupRequest(
        group_id=GROUP,
        generation_id=member.generation_id,
        member_id=member.member_id,
        protocol_type=protocol_type,
        protocol_name=protocol_name,
    )
    refused = brokers.ask(request, 5, SyncGroupResponse)
    assert refused.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert brokers.ask(request, 4, SyncGroupResponse).error_code == ErrorCode.NONE


def test_a_rebalance_ends_a_delayed_response() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    gather(leader, follower)
    follower.send_sync()
    Member(brokers).begin_to_join()
    assert follower.synced().error_code == ErrorCode.REBALANCE_IN_PROGRESS


def test_a_refusal_assigns_nothing() -> None:
    brokers = group_brokers()
    member = Member(brokers)
    stable(member)
    member.generation_id += 1
    member.send_sync()
    answer = member.synced()
    assert (answer.error_code, answer.assignment) == (ErrorCode.ILLEGAL_GENERATION, b"")

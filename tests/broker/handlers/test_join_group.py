"""JoinGroup in each version, with immediate and delayed responses."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from mockbroker.state.group.classic.classic_group import ClassicGroup
from tests.support.fake_transport import PEER
from tests.support.group_members import (
    GROUP,
    Member,
    gather,
    group_brokers,
    stable,
)
from tests.support.in_process import CLIENT_ID


@pytest.mark.parametrize("version", range(10))
def test_a_first_member_leads_in_every_version(version: int) -> None:
    member = Member(group_brokers(), join_version=version)
    answer = member.join()
    assert answer.error_code == ErrorCode.NONE
    assert answer.member_id.startswith(f"{CLIENT_ID}-")
    assert (answer.generation_id, answer.leader) == (1, answer.member_id)
    assert answer.protocol_name == "range"
    assert answer.protocol_type == ("consumer" if version >= 7 else None)
    assert [(each.member_id, each.metadata) for each in answer.members] == [
        (answer.member_id, b"topics")
    ]


def test_the_group_stores_the_client_id_and_host_of_a_member() -> None:
    brokers = group_brokers()
    member = Member(brokers)
    member.join()
    group = brokers.state.group_coordinator(1).groups.find(GROUP)
    assert isinstance(group, ClassicGroup)
    known = group.members[member.member_id]
    assert (known.client_id, known.client_host) == (CLIENT_ID, f"/{PEER[0]}")


def test_before_there_were_two_timeouts_one_was_both() -> None:
    brokers = group_brokers()
    member = Member(brokers, join_version=0)
    member.join()
    group = brokers.state.group_coordinator(1).groups.find(GROUP)
    assert isinstance(group, ClassicGroup)
    assert group.rebalance_timeout_ms == group.members[member.member_id].session_timeout_ms


def test_members_wait_for_each_other() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    stable(leader)
    follower.begin_to_join()
    assert not follower.peer.new_frames()
    assert leader.heartbeat() == ErrorCode.REBALANCE_IN_PROGRESS
    leader.send_join()
    told = [leader.joined(), follower.joined()]
    assert {each.generation_id for each in told} == {2}
    assert [len(each.members) for each in told] == [2, 0]


def test_requests_behind_a_delayed_response_are_served_after_it() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    stable(leader)
    follower.begin_to_join()
    follower.send_join()
    leader.send_join()
    assert len(follower.peer.new_frames()) == 2


@pytest.mark.parametrize(("version", "protocol_name"), [(0, ""), (6, ""), (7, None), (9, None)])
def test_an_error_has_a_null_protocol_in_versions_that_allow_it(
    version: int, protocol_name: str | None
) -> None:
    brokers = group_brokers()
    stable(Member(brokers))
    stranger = Member(brokers, join_version=version)
    stranger.member_id = "a stranger"
    stranger.send_join()
    answer = stranger.joined()
    assert answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert (answer.member_id, answer.generation_id) == ("a stranger", -1)
    assert answer.protocol_name == protocol_name
    assert answer.members == []


def test_a_leader_that_restarts_skips_the_assignment() -> None:
    brokers = group_brokers()
    stable(Member(brokers, instance="i"), Member(brokers, instance="j"))
    restarted = Member(brokers, instance="i").join()
    assert restarted.skip_assignment
    assert len(restarted.members) == 2
    older = Member(brokers, instance="i", join_version=8).join()
    assert older.leader == restarted.member_id
    assert older.members == []


def test_a_connection_that_closes_leaves_its_member_behind() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    stable(leader)
    follower.begin_to_join()
    follower.peer.leave()
    assert not brokers.service.purgatory.waiting
    leader.send_join()
    assert len(leader.joined().members) == 2


def test_a_group_id_is_needed() -> None:
    request = JoinGroupRequest(
        group_id="", session_timeout_ms=10_000, member_id="m", protocol_type="consumer"
    )
    answer = group_brokers().ask(request, 5, JoinGroupResponse)
    assert (answer.error_code, answer.member_id) == (ErrorCode.INVALID_GROUP_ID, "m")


def test_a_generation_ends_at_its_timeout_and_waiting_members_get_responses() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    gather(leader, follower)
    leader.send_join()
    leader.protocols[0].metadata = b"others"
    assert leader.joined().generation_id == 2
    leader.send_join()
    brokers.state.advance_to(brokers.clock.now_ms() + 10_000)
    assert leader.joined().generation_id == 3

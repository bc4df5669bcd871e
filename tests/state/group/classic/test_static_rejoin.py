"""Restarts of static members: they keep their place, and fence their former ids."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.group_answers import JoinResult
from mockbroker.state.group.classic.group_state import GroupState
from tests.state.group.group_building import SESSION_TIMEOUT_MS, join_request
from tests.state.group.membership_building import Groups

FENCED = ErrorCode.FENCED_INSTANCE_ID
LEADER, FOLLOWER = join_request(instance="i"), join_request(instance="j")


def stable_pair(release: str = "4.4") -> tuple[Groups, JoinResult, JoinResult]:
    groups = Groups(release)
    leader, follower = groups.stable(LEADER, FOLLOWER)
    return groups, leader, follower


def test_a_restarted_follower_does_not_disturb_the_group() -> None:
    groups, leader, follower = stable_pair()
    again = groups.join(FOLLOWER)
    assert again.code is ErrorCode.NONE
    assert again.member_id != follower.member_id
    assert (again.generation_id, again.leader_id) == (2, leader.member_id)
    assert groups.heartbeat(leader, instance="i") is ErrorCode.NONE
    answer = groups.sync(again, instance="j").answer
    assert answer is not None
    assert answer.assignment == follower.member_id.encode()
    assert groups.state is GroupState.STABLE


def test_the_new_id_of_a_restarted_member_is_logged() -> None:
    groups, leader, _ = stable_pair()
    again = groups.join(FOLLOWER)
    logged = groups.store.logged[-1]
    assert [each.member_id for each in logged.members] == [leader.member_id, again.member_id]
    assert logged.members[1].assignment


def test_a_restarted_leader_skips_the_assignment() -> None:
    groups, _, follower = stable_pair()
    again = groups.join(LEADER._replace(may_skip_assignment=True))
    assert again.leader_id == again.member_id
    assert again.skip_assignment
    assert [each.member_id for each in again.members] == [again.member_id, follower.member_id]
    assert groups.state is GroupState.STABLE


def test_a_restarted_follower_skips_nothing() -> None:
    groups, leader, _ = stable_pair()
    again = groups.join(FOLLOWER._replace(may_skip_assignment=True))
    assert (again.leader_id, again.skip_assignment) == (leader.member_id, False)


def test_an_older_restarted_leader_gets_its_former_id_as_leader() -> None:
    groups, leader, _ = stable_pair()
    again = groups.join(LEADER)
    assert (again.leader_id, again.members) == (leader.member_id, ())
    assert groups.group.is_leader(again.member_id)


def test_the_former_member_is_fenced_in_all_requests() -> None:
    groups, _, follower = stable_pair()
    groups.join(FOLLOWER)
    assert groups.heartbeat(follower, instance="j") is FENCED
    answer = groups.sync(follower, instance="j").answer
    assert answer is not None
    assert answer.code is FENCED
    refused = groups.join(FOLLOWER._replace(member_id=follower.member_id))
    assert (refused.code, refused.member_id) == (FENCED, follower.member_id)


def test_the_former_members_pending_join_is_fenced() -> None:
    groups, leader, follower = stable_pair()
    former = groups.ask(LEADER._replace(member_id=leader.member_id))
    restarted = groups.ask(LEADER)
    assert former.answer is not None
    assert (former.answer.code, former.answer.member_id) == (FENCED, leader.member_id)
    assert restarted.answer is None
    groups.ask(FOLLOWER._replace(member_id=follower.member_id))
    assert restarted.answer is not None
    assert restarted.answer.generation_id == 3


def test_the_former_members_pending_sync_is_fenced() -> None:
    groups = Groups()
    _, follower = groups.gather(LEADER, FOLLOWER)
    former = groups.sync(follower, instance="j")
    groups.ask(FOLLOWER)
    assert former.answer is not None
    assert former.answer.code is FENCED


@pytest.mark.parametrize(
    ("release", "state"),
    [
        ("4.4", GroupState.PREPARING_REBALANCE),
        ("2.5", GroupState.PREPARING_REBALANCE),
        ("2.4", GroupState.COMPLETING_REBALANCE),
    ],
)
def test_a_restart_before_the_assignment_rebalances_in_some_releases(
    release: str, state: GroupState
) -> None:
    groups = Groups(release)
    groups.gather(LEADER, FOLLOWER)
    groups.ask(FOLLOWER)
    assert groups.state is state


def test_a_restart_that_changes_the_protocol_rebalances() -> None:
    groups = Groups()
    both = ("range", "sticky")
    groups.stable(
        *(
            each._replace(protocols=join_request(names=both).protocols)
            for each in (LEADER, FOLLOWER)
        )
    )
    waiting = groups.ask(FOLLOWER._replace(protocols=join_request(names=("sticky",)).protocols))
    assert waiting.answer is None
    assert groups.state is GroupState.PREPARING_REBALANCE


def test_in_older_releases_the_new_id_is_not_logged() -> None:
    groups, leader, _ = stable_pair("2.4")
    before = len(groups.store.logged)
    again = groups.join(LEADER)
    assert (again.code, again.leader_id) == (ErrorCode.NONE, leader.member_id)
    assert len(groups.store.logged) == before


@pytest.mark.parametrize("release", ["2.8", "3.9", "4.4"])
def test_a_restart_that_cannot_be_logged_is_reverted(release: str) -> None:
    groups, leader, follower = stable_pair(release)
    groups.store.append_refusals.append(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    refused = groups.join(LEADER._replace(session_timeout_ms=7_000))
    assert (refused.code, refused.member_id) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, "")
    assert (refused.generation_id, refused.leader_id) == (2, leader.member_id)
    assert list(groups.group.members) == [leader.member_id, follower.member_id]
    assert groups.group.members[leader.member_id].session_timeout_ms == SESSION_TIMEOUT_MS
    assert groups.group.is_leader(leader.member_id)
    assert groups.heartbeat(leader, instance="i") is ErrorCode.NONE
    assert groups.state is GroupState.STABLE


def test_a_member_that_does_not_restart_in_time_is_removed() -> None:
    groups, _, _ = stable_pair()
    groups.advance(SESSION_TIMEOUT_MS - 1)
    again = groups.join(FOLLOWER)
    groups.advance(1)
    assert list(groups.group.members) == [again.member_id]
    assert groups.state is GroupState.PREPARING_REBALANCE


def test_a_restarted_member_is_known_by_the_client_id_with_which_it_joined_last() -> None:
    groups, _, _ = stable_pair()
    again = groups.join(FOLLOWER._replace(client_id="another"))
    member = groups.group.members[again.member_id]
    assert (member.client_id, member.joined_client_id) == (FOLLOWER.client_id, "another")

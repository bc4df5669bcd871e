"""Groups with vanished clients, moved coordinators and clock jumps."""

from typing import Final

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition
from tests.support.group_members import (
    GROUP,
    SESSION_TIMEOUT_MS,
    Member,
    gather,
    group_brokers,
    stable,
)
from tests.support.in_process import Brokers

REBALANCE_TIMEOUT_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * 60 * 1000


def group_of(brokers: Brokers, broker_id: int = 1) -> ClassicGroup:
    group = brokers.state.group_coordinator(broker_id).groups.find(GROUP)
    assert isinstance(group, ClassicGroup)
    return group


def home_of(brokers: Brokers) -> Partition:
    index = coordinator_partition(CONSUMER_OFFSETS, GROUP, brokers.state.configs)
    return brokers.partition(CONSUMER_OFFSETS, index)


def move_to(brokers: Brokers, broker_id: int) -> None:
    elect_leader(brokers.state, home_of(brokers), broker_id, now_ms=brokers.clock.now_ms())
    brokers.state.run_pending(brokers.clock.now_ms())


def conversation() -> str:
    brokers = group_brokers()
    leader, follower, static = Member(brokers), Member(brokers), Member(brokers, instance="i")
    stable(leader, follower, static)
    brokers.clock.advance(5_000)
    follower.heartbeat()
    Member(brokers, instance="i").join()
    Member(brokers).begin_to_join()
    leader.leave()
    return brokers.state.as_text()


def test_the_same_conversation_gives_the_same_state() -> None:
    texts = {conversation() for _ in range(3)}
    assert len(texts) == 1
    assert f"group {GROUP} PreparingRebalance" in texts.pop()


def test_a_refused_request_leaves_nothing_behind() -> None:
    brokers = group_brokers()
    member = Member(brokers)
    stable(member)
    before = brokers.state.as_text()
    stranger = Member(brokers)
    stranger.member_id = "a stranger"
    stranger.send_join()
    stranger.joined()
    stranger.send_sync()
    stranger.synced()
    assert stranger.heartbeat() == ErrorCode.UNKNOWN_MEMBER_ID
    stranger.leave()
    assert brokers.state.as_text() == before


@pytest.mark.parametrize("is_joining", [True, False])
def test_a_waiting_member_gets_an_error_when_its_coordinator_moves(is_joining: bool) -> None:
    brokers = group_brokers(brokers=2)
    home = home_of(brokers).leader_id
    leader, follower = (Member(brokers, broker_id=home) for _ in range(2))
    gather(leader, follower)
    if is_joining:
        leader.protocols[0].metadata = b"others"
        leader.send_join()
    else:
        follower.send_sync()
    move_to(brokers, 3 - home)
    told = leader.joined() if is_joining else follower.synced()
    assert told.error_code == ErrorCode.NOT_COORDINATOR
    assert leader.heartbeat() == ErrorCode.NOT_COORDINATOR


def test_members_continue_at_the_new_coordinator() -> None:
    brokers = group_brokers(brokers=2)
    home = home_of(brokers).leader_id
    members = [Member(brokers, broker_id=home) for _ in range(2)]
    stable(*members)
    brokers.clock.advance(SESSION_TIMEOUT_MS - 1)
    move_to(brokers, 3 - home)
    brokers.clock.advance(SESSION_TIMEOUT_MS - 1)
    brokers.state.advance_to(brokers.clock.now_ms())
    for member in members:
        member.reconnect(brokers, 3 - home)
        assert member.heartbeat() == ErrorCode.NONE
        member.send_sync()
        assert member.synced().assignment == member.member_id.encode()
    assert group_of(brokers, 3 - home).generation_id == members[0].generation_id


def test_clients_that_vanish_while_they_wait_are_dropped_when_their_time_is_up() -> None:
    brokers = group_brokers()
    members = [Member(brokers) for _ in range(3)]
    stable(*members)
    for member in members:
        member.protocols[0].metadata = b"others"
    members[0].send_join()
    for member in members:
        member.peer.leave()
    assert not brokers.service.purgatory.waiting
    brokers.state.advance_to(brokers.clock.now_ms() + REBALANCE_TIMEOUT_MS + SESSION_TIMEOUT_MS)
    assert group_of(brokers).state is GroupState.EMPTY
    assert not group_of(brokers).members


def test_a_jump_over_a_day_ends_all_groups_and_leaves_no_deadline_behind() -> None:
    brokers = group_brokers()
    for group_id in ("one", "two", "three"):
        stable(*(Member(brokers, group_id=group_id) for _ in range(2)))
    assert "group-deadlines 1" in brokers.state.timers
    brokers.state.advance_to(brokers.clock.now_ms() + DAY_MS)
    assert not list(brokers.state.group_coordinator(1).groups)  # empty ones expire (KIP-211)
    assert "group-deadlines 1" not in brokers.state.timers


def test_a_member_that_joins_from_two_connections_is_answered_on_the_last() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    stable(leader, follower)
    leader.send_join()
    leader.reconnect(brokers)
    leader.send_join()
    follower.protocols[0].metadata = b"others"
    follower.send_join()
    assert leader.joined().error_code == ErrorCode.NONE
    assert len(group_of(brokers).members) == 2

"""Share partitions of a running cluster: what is shown, and locks that expire."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.control.handles.share_info import InFlightRecords, SharePartitionInfo
from mockbroker.protocol.errors import ErrorCode
from tests.support.consumer_members import two_members
from tests.support.share_members import (
    AT_ONCE,
    CREATES_DEAD_LETTERS,
    DEAD_LETTERS,
    EARLIEST,
    HAS_DEAD_LETTERS,
    REJECT,
    RELEASE,
    SHARERS,
    ShareMember,
    joined,
    set_up,
    store,
)

LOCK_MS = 30_000


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 2}, config=AT_ONCE, clock="manual") as running:
        set_up(running)
        store(running, 4)
        yield running


@pytest.fixture
def member(cluster: Cluster) -> Iterator[ShareMember]:
    with joined(cluster) as one:
        yield one


def in_flight(cluster: Cluster) -> list[tuple[int, int, str, int, str | None]]:
    shown = cluster.group(SHARERS).share_partitions["orders", 0].in_flight
    return [each[2:7] for each in shown]


def test_a_share_partition_is_shown_before_its_first_fetch(
    cluster: Cluster, member: ShareMember
) -> None:
    group = cluster.group(SHARERS)
    assert (member.assigned, list(group.share_partitions)) == (
        [0, 1],
        [("orders", 0), ("orders", 1)],
    )
    shown = group.share_partitions["orders", 1]
    coordinator = cluster.partition("__share_group_state", 0).leader
    leader = cluster.partition("orders", 1).leader
    assert shown == SharePartitionInfo("orders", 1, leader, coordinator, False, -1, -1, 0, ())
    assert group.acquired == ()


def test_acquired_records_have_a_member_and_a_lock(cluster: Cluster, member: ShareMember) -> None:
    assert member.fetch(records_max=3) == [(0, 2, 1)]
    group = cluster.group(SHARERS)
    expires_ms = cluster.clock.now_ms + LOCK_MS
    assert group.acquired == (InFlightRecords("orders", 0, 0, 2, "ACQUIRED", 1, "a", expires_ms),)
    assert in_flight(cluster) == [(0, 2, "ACQUIRED", 1, "a"), (3, 3, "AVAILABLE", 0, None)]
    assert member.acknowledge(1, 2, (1, RELEASE)) is ErrorCode.NONE
    assert in_flight(cluster) == [
        (0, 0, "ACQUIRED", 1, "a"),
        (1, 1, "ACKNOWLEDGED", 1, None),
        (2, 2, "AVAILABLE", 1, None),
        (3, 3, "AVAILABLE", 0, None),
    ]
    shown = group.share_partitions["orders", 0]
    assert shown[4:8] == (True, 0, 3, 1)
    assert member.acknowledge(0, 0) is ErrorCode.NONE
    assert group.share_partitions["orders", 0][4:8] == (True, 2, 3, 0)
    assert in_flight(cluster) == [(2, 2, "AVAILABLE", 1, None), (3, 3, "AVAILABLE", 0, None)]


def test_a_lock_expires_by_the_clock(cluster: Cluster, member: ShareMember) -> None:
    member.fetch()
    cluster.clock.advance(f"{LOCK_MS - 1}ms")
    assert len(cluster.group(SHARERS).acquired) == 1
    cluster.clock.advance("1ms")
    assert cluster.group(SHARERS).acquired == ()
    assert in_flight(cluster) == [(0, 3, "AVAILABLE", 1, None)]
    assert member.acknowledge(0, 3) is ErrorCode.INVALID_RECORD_STATE
    assert member.fetch() == [(0, 3, 2)]


def test_the_locks_of_a_member_expire_at_once(cluster: Cluster, member: ShareMember) -> None:
    group = cluster.group(SHARERS)
    member.fetch(records_max=2)
    with joined(cluster, "b") as other:
        assert other.fetch(records_max=2) == [(2, 3, 1)]
        assert group.expire_locks(member_id="c") == 0
        assert group.expire_locks("orders", 1) == 0
        assert group.expire_locks(member_id="a") == 2
        assert [each[2:7] for each in group.acquired] == [(2, 3, "ACQUIRED", 1, "b")]
        assert other.fetch() == [(0, 1, 2)]
        assert group.expire_locks("orders", 0) == 4
    assert in_flight(cluster) == [(0, 1, "AVAILABLE", 2, None), (2, 3, "AVAILABLE", 1, None)]
    assert member.acknowledge(0, 1) is ErrorCode.INVALID_RECORD_STATE


def test_a_record_that_is_never_acknowledged_is_archived_at_its_limit(cluster: Cluster) -> None:
    set_up(cluster, {**EARLIEST, "share.delivery.count.limit": "2"})
    group = cluster.group(SHARERS)
    with joined(cluster) as member:
        for delivery in (1, 2):
            assert member.fetch(records_max=1) == [(0, 0, delivery)]
            assert group.share_partitions["orders", 0].start_offset == 0
            assert group.expire_locks() == 1
        assert group.share_partitions["orders", 0].start_offset == 1
        assert member.fetch(records_max=1) == [(1, 1, 1)]


def test_held_dead_letters_are_written_step_by_step() -> None:
    with Cluster(topics={"orders": 1}, config=CREATES_DEAD_LETTERS, clock="manual") as cluster:
        set_up(cluster, HAS_DEAD_LETTERS)
        store(cluster, 2)
        group = cluster.group(SHARERS)
        group.hold_dead_letters()
        with joined(cluster) as member:
            member.fetch()
            for offset in (0, 1):
                assert member.acknowledge(offset, offset, (REJECT,)) is ErrorCode.NONE
            first, second = (f"WriteDeadLetters sharers orders-0 {each}" for each in ("0-0", "1-1"))
            assert group.held_dead_letters == (first, second)
            assert in_flight(cluster) == [(0, 1, "ARCHIVING", 1, None)]
            # What creates the topic has to wait for another step.
            assert group.step_dead_letters() == first
            assert group.held_dead_letters == (second, first)
            assert group.step_dead_letters() == second
            assert len(cluster.records(DEAD_LETTERS)) == 1
            assert in_flight(cluster) == [(0, 0, "ARCHIVING", 1, None), (1, 1, "ARCHIVED", 1, None)]
            group.release_dead_letters()
            assert not group.held_dead_letters
            assert len(cluster.records(DEAD_LETTERS)) == 2
            assert group.share_partitions["orders", 0].start_offset == 2


def test_a_record_at_its_limit_becomes_a_dead_letter_when_its_lock_ends() -> None:
    with Cluster(topics={"orders": 1}, config=CREATES_DEAD_LETTERS, clock="manual") as cluster:
        set_up(cluster, {**HAS_DEAD_LETTERS, "share.delivery.count.limit": "2"})
        store(cluster, 1)
        group = cluster.group(SHARERS)
        group.hold_dead_letters()
        with joined(cluster) as member:
            assert member.fetch() == [(0, 0, 1)]
            assert group.expire_locks() == 1
            assert (in_flight(cluster), group.held_dead_letters) == (
                [(0, 0, "AVAILABLE", 1, None)],
                (),
            )
            assert member.fetch() == [(0, 0, 2)]
            assert group.expire_locks(member_id="a") == 1
            assert in_flight(cluster) == [(0, 0, "ARCHIVING", 2, None)]
            group.release_dead_letters()
            (letter,) = cluster.records(DEAD_LETTERS)
            assert dict(letter.headers)["__dlq.errors.delivery.count"] == b"2"
            assert group.share_partitions["orders", 0].start_offset == 1


def test_a_new_leader_reads_what_is_stored(cluster: Cluster, member: ShareMember) -> None:
    member.fetch()
    member.acknowledge(1, 2, (1, RELEASE))
    group = cluster.group(SHARERS)
    leader = cluster.partition("orders", 0).elect()
    shown = group.share_partitions["orders", 0]
    assert (shown.leader, shown.is_loaded, group.acquired) == (leader, False, ())
    assert in_flight(cluster) == [(1, 1, "ACKNOWLEDGED", 1, None), (2, 2, "AVAILABLE", 1, None)]
    assert group.expire_locks() == 0
    assert member.fetch() == [(0, 0, 1), (2, 2, 2), (3, 3, 1)]


def test_a_leader_that_is_elected_again_has_forgotten_the_locks(
    cluster: Cluster, member: ShareMember
) -> None:
    member.fetch()
    before = cluster.partition("orders", 0).leader
    cluster.partition("orders", 0).elect()
    assert cluster.partition("orders", 0).elect(before) == before
    assert cluster.group(SHARERS).acquired == ()


def test_acknowledgements_are_stored_by_the_next_share_coordinator(
    cluster: Cluster, member: ShareMember
) -> None:
    member.fetch()
    group = cluster.group(SHARERS)
    before = group.share_partitions["orders", 0]
    member.acknowledge(0, 0)
    moved_to = group.move_share_coordinator("orders", 0)
    shown = group.share_partitions["orders", 0]
    assert shown.share_coordinator == moved_to != before.share_coordinator
    assert (shown.start_offset, len(group.acquired)) == (1, 1)
    assert member.acknowledge(1, 1) is ErrorCode.NONE
    cluster.partition("orders", 0).elect()
    assert in_flight(cluster) == [(1, 1, "ACKNOWLEDGED", 1, None)]
    assert member.fetch() == [(2, 3, 1)]


def test_records_stay_acquired_while_the_group_coordinator_moves(
    cluster: Cluster, member: ShareMember
) -> None:
    member.fetch()
    group = cluster.group(SHARERS)
    before = group.acquired
    group.move_coordinator()
    assert group.acquired == before
    assert member.acknowledge(0, 3) is ErrorCode.NONE


def test_the_records_of_a_fenced_member_stay_acquired(
    cluster: Cluster, member: ShareMember
) -> None:
    member.fetch()
    group = cluster.group(SHARERS)
    group.fence("a")
    assert (group.members, len(group.acquired)) == ({}, 1)
    with joined(cluster, "b") as other:
        group.expire_locks()
        assert other.fetch() == [(0, 3, 2)]


def test_only_share_groups_have_share_partitions(cluster: Cluster, member: ShareMember) -> None:
    two_members(cluster)
    with pytest.raises(ValueError, match="group 'readers' is a consumer group, not a share group"):
        _ = cluster.group("readers").acquired
    group = cluster.group(SHARERS)
    with pytest.raises(LookupError, match="group 'sharers' has no share partition orders-2"):
        group.expire_locks("orders", 2)
    with pytest.raises(LookupError, match="group 'sharers' has no share partition others"):
        group.move_share_coordinator("others", 0)
    assert member.beat() is ErrorCode.NONE

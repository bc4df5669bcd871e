import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.cluster_state import ClusterState
from tests.state.group.consumer.classic_building import (
    REBALANCE_MS,
    SESSION_MS,
    ClassicMember,
)
from tests.state.group.consumer.consumer_building import Consumer, cluster_of, group_in
from tests.state.group.coordinator_building import coordinator_in

STEP_MS = SESSION_MS // 2


def joined() -> tuple[ClusterState, Consumer, ClassicMember]:
    cluster = cluster_of(orders=2)
    one, two = Consumer(cluster), ClassicMember(cluster, "c")
    one.join()
    two.join()
    return cluster, one, two


def keep_alive(
    cluster: ClusterState, one: Consumer, two: ClassicMember, until_ms: int
) -> ErrorCode:
    code = ErrorCode.NONE
    for now_ms in range(STEP_MS, until_ms, STEP_MS):
        cluster.advance_to(now_ms)
        one.beat(now_ms=now_ms)
        one.beat(one.assigned, now_ms)
        code = two.beat(now_ms)
    return code


def test_a_classic_member_has_a_session_of_its_own() -> None:
    cluster, one, two = joined()
    two.sync()
    cluster.advance_to(SESSION_MS - 1)
    assert "c" in group_in(cluster).members
    cluster.advance_to(SESSION_MS)
    assert list(group_in(cluster).members) == ["a"]
    assert one.beat(now_ms=SESSION_MS).member_epoch == one.epoch


def test_it_has_to_sync_in_time() -> None:
    cluster, one, two = joined()
    keep_alive(cluster, one, two, REBALANCE_MS)
    assert "c" in group_in(cluster).members
    cluster.advance_to(REBALANCE_MS)
    assert list(group_in(cluster).members) == ["a"]


def test_it_has_to_join_in_time_when_it_was_told_to() -> None:
    cluster, one, two = joined()
    two.sync()
    Consumer(cluster, "b", "orders", "others").join()
    assert two.beat() is ErrorCode.REBALANCE_IN_PROGRESS
    keep_alive(cluster, one, two, REBALANCE_MS)
    assert "c" in group_in(cluster).members
    cluster.advance_to(REBALANCE_MS)
    assert "c" not in group_in(cluster).members


@pytest.mark.parametrize("moves", [False, True])
def test_the_steps_are_carried_with_the_clock(*, moves: bool) -> None:
    cluster, _, two = joined()
    group = group_in(cluster)
    before = dict(group.classic_steps_ms)
    assert list(before.values()) == [REBALANCE_MS]
    assert f"sync of {two.member_id} until {REBALANCE_MS}" in "\n".join(group.as_text())
    group.carry_deadlines(5 if moves else 0)
    assert list(group.classic_steps_ms.values()) == [REBALANCE_MS + 5 * moves]


def test_a_loaded_group_gives_all_members_its_own_session_timeout() -> None:
    cluster, _, _ = joined()
    coordinator = coordinator_in(cluster)
    coordinator.on_resignation(0)
    coordinator.on_election(0, 5)
    cluster.run_pending(0)
    assert group_in(cluster).sessions_ms == {"a": 45_000, "c": 45_000}
    assert group_in(cluster).members["c"].uses_classic

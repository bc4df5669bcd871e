"""Expiration of offsets, and removal of empty groups."""

from collections.abc import Sequence

import pytest

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_expiration import GROUPS_PER_SLICE, GroupExpiration
from mockbroker.state.group.topic_group_log import TopicGroupLog
from tests.state.group.coordinator_building import (
    BILLS,
    DAY_MS,
    GROUP,
    MINUTE_MS,
    ORDERS,
    commit,
    committed,
    coordinating,
    coordinator_in,
    empty_group,
    end_transaction,
    home_of,
    offset,
    stable_group,
)

WEEK_MS = 7 * DAY_MS
SWEEP_MS = 10 * MINUTE_MS
SWEEP = "group 1 metadata expiration"


def known(cluster: ClusterState) -> dict[str, int | None]:
    coordinator = coordinator_in(cluster)
    return {
        str(partition): committed(coordinator, partition)
        for partition in coordinator.offsets_of(GROUP).known_partitions(GROUP)
    }


def is_known(cluster: ClusterState) -> bool:
    return coordinator_in(cluster).groups.get(GROUP) is not None


def test_without_members_an_offset_expires_a_week_after_its_commit() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5))
    commit(coordinator_in(cluster), offset(6, BILLS, now_ms=DAY_MS), now_ms=DAY_MS)
    cluster.advance_to(WEEK_MS - 1)
    assert known(cluster) == {"orders-0": 5, "bills-2": 6}
    cluster.advance_to(WEEK_MS)
    assert known(cluster) == {"bills-2": 6}
    cluster.advance_to(WEEK_MS + DAY_MS)
    assert known(cluster) == {}
    assert not is_known(cluster)


def test_offsets_expire_a_week_after_the_last_member_left() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    empty_group(coordinator, DAY_MS)
    coordinator.groups.append(GROUP, [offset(5)], DAY_MS)
    cluster.advance_to(WEEK_MS + DAY_MS - 1)
    assert known(cluster) == {"orders-0": 5}
    cluster.advance_to(WEEK_MS + DAY_MS)
    assert not is_known(cluster)


def test_the_next_sweep_removes_a_group_without_members_and_offsets() -> None:
    cluster = coordinating()
    empty_group(coordinator_in(cluster))
    cluster.advance_to(SWEEP_MS - 1)
    assert is_known(cluster)
    cluster.advance_to(SWEEP_MS)
    assert not is_known(cluster)


def test_a_group_in_use_loses_offsets_of_unsubscribed_topics() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    coordinator.groups.append(GROUP, [offset(5), offset(6, BILLS)], 0)
    cluster.advance_to(WEEK_MS)
    assert known(cluster) == {"orders-0": 5}


@pytest.mark.parametrize(("release", "left"), [("2.3", 2), ("2.4", 1), ("2.8", 2), ("4.4", 2)])
def test_expiration_during_a_rebalance_depends_on_the_release(release: str, left: int) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    group = stable_group(coordinator)
    coordinator.groups.append(GROUP, [offset(5), offset(6, BILLS)], 0)
    group.transition_to(GroupState.PREPARING_REBALANCE, 0)
    cluster.advance_to(WEEK_MS)
    assert len(known(cluster)) == left


def test_unreadable_metadata_prevents_expiration() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator, subscription=b"?")
    coordinator.groups.append(GROUP, [offset(5), offset(6, BILLS)], 0)
    cluster.advance_to(WEEK_MS)
    assert len(known(cluster)) == 2


def test_an_offset_that_a_transaction_may_replace_does_not_expire() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5))
    coordinator.groups.append(GROUP, [offset(6)], 0, writer=BatchWriter(9, 0))
    cluster.advance_to(WEEK_MS + DAY_MS)
    assert known(cluster) == {"orders-0": 5}
    end_transaction(cluster, 9, is_commit=False, now_ms=WEEK_MS + DAY_MS)
    cluster.advance_to(WEEK_MS + DAY_MS + SWEEP_MS)
    assert not is_known(cluster)


@pytest.mark.parametrize(("release", "after_ms"), [("1.1", 1), ("2.4", 0), ("4.4", 0)])
def test_an_offsets_own_expiry_takes_precedence(release: str, after_ms: int) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    expires_ms = SWEEP_MS - after_ms
    commit(coordinator, offset(5, expires_ms=expires_ms), offset(6, BILLS, expires_ms=WEEK_MS * 2))
    cluster.advance_to(SWEEP_MS - 1)
    assert len(known(cluster)) == 2
    cluster.advance_to(SWEEP_MS)
    assert known(cluster) == {"bills-2": 6}


def test_a_group_in_use_keeps_no_offset_for_longer_before_kip_211() -> None:
    cluster = coordinating("1.1")
    coordinator = coordinator_in(cluster)
    stable_group(coordinator)
    coordinator.groups.append(GROUP, [offset(5, expires_ms=DAY_MS)], 0)
    cluster.advance_to(DAY_MS)
    assert known(cluster) == {"orders-0": 5}
    cluster.advance_to(DAY_MS + SWEEP_MS)
    assert known(cluster) == {}
    assert is_known(cluster)


def test_a_week_of_waiting_runs_few_sweeps() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5))
    assert cluster.advance_to(WEEK_MS).count(SWEEP) == 2


def test_loaded_offsets_expire_too() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5))
    coordinator.on_election(0, 0)
    cluster.run_pending(DAY_MS)
    cluster.advance_to(WEEK_MS + SWEEP_MS)
    assert not is_known(cluster)


def test_many_groups_are_checked_in_slices() -> None:
    cluster = coordinating()
    seen: list[tuple[str, int]] = []

    def note(group_ids: Sequence[str], now_ms: int) -> None:
        seen.extend((group_id, now_ms) for group_id in group_ids)

    expiration = GroupExpiration(7, cluster, note)
    expiration.startup(0)
    for number in range(GROUPS_PER_SLICE + 1):
        expiration.watch(str(number), 0, 0)
    expiration.watch("later", WEEK_MS, 0)
    cluster.advance_to(SWEEP_MS)
    assert len(seen) == GROUPS_PER_SLICE
    cluster.advance_to(SWEEP_MS + 1)
    assert len(seen) == GROUPS_PER_SLICE + 1
    cluster.advance_to(WEEK_MS)
    assert seen[-1] == ("later", WEEK_MS)


def test_a_remaining_offset_preserves_its_group() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5), offset(6, BILLS, expires_ms=SWEEP_MS))
    cluster.advance_to(SWEEP_MS)
    assert known(cluster) == {str(ORDERS): 5}
    assert is_known(cluster)


@pytest.mark.parametrize(("release", "batches"), [("3.9", 2), ("4.4", 1)])
def test_the_batches_of_an_expiration_depend_on_the_release(release: str, batches: int) -> None:
    cluster = coordinating(release)
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5, expires_ms=SWEEP_MS))
    commit(coordinator, offset(5, expires_ms=SWEEP_MS, group_id="others"))
    written = list(TopicGroupLog(1, cluster).read(0))
    cluster.advance_to(SWEEP_MS)
    assert len(list(TopicGroupLog(1, cluster).read(0))) == len(written) + batches
    assert len(coordinator.groups) == 0


def test_a_failed_expiration_is_repeated_by_a_later_sweep() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5))
    home_of(cluster).in_sync_replicas = ()
    cluster.advance_to(WEEK_MS)
    assert known(cluster) == {"orders-0": 5}
    home_of(cluster).in_sync_replicas = (1,)
    cluster.advance_to(WEEK_MS + SWEEP_MS)
    assert not is_known(cluster)

"""The groups in a broker's partitions."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_log_record import GroupRecord
from mockbroker.state.group.group_state_manager import GroupStateManager
from mockbroker.state.group.topic_group_log import TopicGroupLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from tests.state.group.coordinator_building import (
    GROUP,
    ORDERS,
    SUBSCRIPTION,
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


def refusal_of(groups: GroupStateManager) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        groups.get(GROUP)
    return refused.value.code


def test_a_partition_is_loaded_then_owned_then_released() -> None:
    cluster = coordinating()
    groups = GroupStateManager(1, cluster, TopicGroupLog(1, cluster), lambda _group, _now_ms: None)
    assert refusal_of(groups) is ErrorCode.NOT_COORDINATOR
    groups.start_loading(0, 3)
    assert groups.is_loading
    assert refusal_of(groups) is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert groups.as_text() == ["loading __consumer_offsets-0 epoch 3"]
    assert groups.load(0, 2, 0) is None
    assert groups.load(0, 3, 0) == []
    assert not groups.is_loading
    assert groups.get(GROUP) is None
    assert groups.release(0, 2) is None
    assert groups.get(GROUP) is None
    assert groups.release(0, 4) == []
    assert refusal_of(groups) is ErrorCode.NOT_COORDINATOR


def test_loading_restores_the_known_state() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    stable_group(coordinator, 5)
    coordinator.groups.append(GROUP, [offset(5)], 5)
    commit(coordinator, offset(7, group_id="simple", now_ms=5), now_ms=5)
    coordinator.groups.append(GROUP, [offset(9)], 5, writer=BatchWriter(9, 0))
    coordinator.groups.append(
        "aborted", [offset(8, group_id="aborted")], 5, writer=BatchWriter(8, 0)
    )
    end_transaction(cluster, 8, is_commit=False)
    before = coordinator.groups.as_text()
    assert len(coordinator.groups) == 3
    known = coordinator.groups.start_loading(0, 0)
    assert {group.group_id for group in known} == {GROUP, "simple", "aborted"}
    loaded = coordinator.groups.load(0, 0, 5)
    assert loaded is not None
    assert [group.group_id for group in loaded] == [GROUP, "simple", "aborted"]
    lines = zip(before, coordinator.groups.as_text(), strict=True)
    changed = [line for line in lines if line[0] != line[1]]
    assert changed == [], "\n".join(map(str, changed))
    group = coordinator.groups.find(GROUP)
    assert isinstance(group, ClassicGroup)
    assert group.state is GroupState.STABLE
    assert group.members["m-1"].assignment == b"assigned"
    assert group.members["m-1"].supported_protocols == (("range", SUBSCRIPTION),)
    end_transaction(cluster, 9, is_commit=True)
    assert committed(coordinator) == 9


def test_removed_groups_are_not_loaded() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    empty_group(coordinator)
    coordinator.delete_group(GROUP, 0)
    assert coordinator.groups.start_loading(0, 0) == []
    assert coordinator.groups.load(0, 0, 0) == []


def test_a_marker_appended_while_loading_is_loaded() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    coordinator.groups.append(GROUP, [offset(9)], 0, writer=BatchWriter(9, 0))
    coordinator.groups.start_loading(0, 0)
    end_transaction(cluster, 9, is_commit=True)
    assert coordinator.groups.complete_transaction(0, EndTxnMarker(9, 0, 0, True)) == []
    coordinator.groups.load(0, 0, 0)
    assert committed(coordinator) == 9


def test_a_commit_creates_a_group() -> None:
    coordinator = coordinator_in(coordinating())
    commit(coordinator, offset(5, now_ms=3), now_ms=3)
    group = coordinator.groups.get(GROUP)
    assert isinstance(group, ClassicGroup)
    assert (group.state, group.protocol_type) == (GroupState.EMPTY, None)
    assert coordinator.groups.is_current(group)
    assert list(coordinator.groups) == [group]


def test_a_group_whose_partition_moved_is_not_logged() -> None:
    coordinator = coordinator_in(coordinating())
    group = ClassicGroup(GROUP, now_ms=0)
    with pytest.raises(ApiError) as refused:
        coordinator.groups.store(group, {}, 0)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR
    coordinator.groups.add(group)
    coordinator.groups.store(group, {}, 0)
    coordinator.groups.remove(group)
    assert coordinator.groups.find(GROUP) is None


def test_an_append_that_fails_changes_nothing() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    commit(coordinator, offset(5))
    home_of(cluster).in_sync_replicas = ()
    before = cluster.as_text()
    with pytest.raises(ApiError):
        coordinator.groups.append("new", [offset(6, group_id="new")], 0)
    assert cluster.as_text() == before


def test_superseded_records_are_deleted_when_memory_is_short() -> None:
    cluster = coordinating()
    coordinator = coordinator_in(cluster)
    log = cluster.log_of(home_of(cluster), 0)
    stable_group(coordinator)
    for value in range(3):
        coordinator.groups.append(GROUP, [offset(value)], 0)
    assert coordinator.groups.topic_partition < ORDERS
    coordinator.groups.reclaim(now_ms=0)
    assert log.log_start_offset == 0
    coordinator.groups.append(GROUP, [GroupRecord(GROUP, None)], 0)
    coordinator.groups.reclaim(now_ms=0)
    assert log.log_start_offset == 3

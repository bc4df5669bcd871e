import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group import StreamsGroup, StreamsGroupState
from mockbroker.state.group.streams.streams_group_member import StreamsMemberState
from mockbroker.state.group.streams.streams_records import (
    StreamsCurrentAssignment,
    StreamsCurrentRecord,
    StreamsGroupEpoch,
    StreamsGroupRecord,
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
    StreamsTopologyRecord,
)
from mockbroker.state.group.streams.tasks import AssignedTasks, TaskId, TasksTuple
from mockbroker.state.group.streams.topics.topology import Subtopology, build_topology
from tests.state.group.streams.streams_building import APP, tasks

TOPOLOGY = build_topology(0, [Subtopology("0", ("orders",))])
ASSIGNED = AssignedTasks({"0": {0: 2}})


def replayed(*records: StreamsRecord, group: StreamsGroup | None = None) -> StreamsGroup:
    group = group or StreamsGroup(APP)
    for record in records:
        group.replay(record)
    return group


def one_member(state: StreamsMemberState = StreamsMemberState.STABLE) -> StreamsGroup:
    return replayed(
        StreamsMemberRecord(APP, "a", StreamsMemberMetadata("i", process_id="p")),
        StreamsTopologyRecord(APP, TOPOLOGY),
        StreamsGroupRecord(APP, StreamsGroupEpoch(2, validated_topology_epoch=0)),
        StreamsTargetRecord(APP, "a", TasksTuple(tasks(0))),
        StreamsTargetEpochRecord(APP, StreamsTargetEpoch(2, 5)),
        StreamsCurrentRecord(APP, "a", StreamsCurrentAssignment(2, 1, state, ASSIGNED)),
    )


def test_a_group_without_members_is_empty() -> None:
    group = StreamsGroup(APP)
    assert (group.state, group.group_epoch, group.is_empty) == (StreamsGroupState.EMPTY, 1, True)


@pytest.mark.parametrize(
    ("record", "state"),
    [
        (StreamsTopologyRecord(APP, None), StreamsGroupState.NOT_READY),
        (StreamsGroupRecord(APP, StreamsGroupEpoch(2)), StreamsGroupState.NOT_READY),
        (
            StreamsGroupRecord(APP, StreamsGroupEpoch(3, validated_topology_epoch=0)),
            StreamsGroupState.ASSIGNING,
        ),
        (
            StreamsTargetEpochRecord(APP, StreamsTargetEpoch(3)),
            StreamsGroupState.RECONCILING,
        ),
        (StreamsTargetEpochRecord(APP, StreamsTargetEpoch(2)), StreamsGroupState.STABLE),
    ],
)
def test_the_state_follows_from_records(record: StreamsRecord, state: StreamsGroupState) -> None:
    group = replayed(record, group=one_member())
    assert (group.state, group.state_title) == (state, state.value)


def test_tombstones_end_the_group() -> None:
    group = one_member()
    assert group.holders.active(TaskId("0", 0)) == "p"
    replayed(*group.tombstones(), group=group)
    assert (group.members, group.targets, group.static_members) == ({}, {}, {})
    assert group.holders.active(TaskId("0", 0)) is None
    assert group.topology is None


def test_tombstones_of_unknown_members_are_ignored() -> None:
    group = replayed(StreamsCurrentRecord(APP, "x", None), StreamsMemberRecord(APP, "x", None))
    assert not group.members


def test_a_member_that_is_not_there_is_unknown() -> None:
    with pytest.raises(ApiError) as refused:
        one_member().member("b")
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_static_members_are_found_by_their_instance_id() -> None:
    group = one_member()
    found = group.static_member("i")
    assert found is not None
    assert found.member_id == "a"
    assert group.static_member("j") is None


def test_topics_of_the_topology_are_subscribed_to_while_there_are_members() -> None:
    group = one_member()

    def unread(_: bytes) -> None:
        raise AssertionError

    assert group.is_subscribed_to_topic("orders", unread)
    assert not group.is_subscribed_to_topic("other", unread)
    assert not StreamsGroup(APP).is_subscribed_to_topic("orders", unread)


def test_deadlines_move() -> None:
    group = one_member()
    group.sessions_ms["a"], group.rebalances["a"], group.first_assignment_ms = 10, (2, 20), 30
    group.carry_deadlines(5)
    assert (group.sessions_ms, group.rebalances) == ({"a": 15}, {"a": (2, 25)})
    assert group.first_assignment_ms == 35
    other = StreamsGroup(APP)
    other.carry_deadlines(5)
    assert other.first_assignment_ms is None


def test_refined_tasks_are_handed_over() -> None:
    group = one_member()
    group.refined = (2, {"a": TasksTuple(tasks(0))})
    group.hand_over_refined("a", "b")
    group.hand_over_refined("a", "c")
    assert group.refined == (2, {"b": TasksTuple(tasks(0))})


def test_the_text_names_members_and_targets() -> None:
    text = "\n".join(one_member().as_text())
    assert "group app streams Stable" in text
    assert "target" in text

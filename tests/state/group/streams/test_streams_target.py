from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.streams_records import (
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
)
from mockbroker.state.group.streams.streams_target import (
    STANDBY_REPLICAS,
    compute_target,
    members_with,
    targets_with,
)
from mockbroker.state.group.streams.tasks import NO_TASKS, TasksTuple
from mockbroker.state.group.streams.topics.internal_topic_manager import configure_topics
from mockbroker.state.group.streams.topics.topology import Subtopology, build_topology
from tests.state.group.streams.streams_building import APP, tasks

TOPOLOGY = build_topology(0, [Subtopology("0", ("orders",))])
FOR_EPOCH_2 = StreamsTargetEpoch(2, 9), {STANDBY_REPLICAS: "0"}


def group_of_static() -> StreamsGroup:
    group = StreamsGroup(APP)
    group.replay(StreamsMemberRecord(APP, "a", StreamsMemberMetadata("i", process_id="p")))
    group.replay(StreamsTargetRecord(APP, "a", TasksTuple(tasks(0))))
    return group


def test_a_static_member_takes_the_place_of_the_one_before() -> None:
    group = group_of_static()
    returned = StreamsGroupMember("b", instance_id="i")
    assert list(members_with(group, returned)) == ["b"]
    assert targets_with(group, returned) == {"b": TasksTuple(tasks(0))}


def test_other_members_are_added() -> None:
    group = group_of_static()
    other = StreamsGroupMember("b")
    assert set(members_with(group, other)) == {"a", "b"}
    assert targets_with(group, other) is group.targets


def test_a_static_member_without_a_target_replaces_none() -> None:
    group = group_of_static()
    group.replay(StreamsTargetRecord(APP, "a", None))
    assert targets_with(group, StreamsGroupMember("b", instance_id="i")) == {}


def test_only_changed_targets_have_records() -> None:
    group = group_of_static()
    configured = configure_topics(TOPOLOGY, 0, {"orders": 1}.get)
    records, targets = compute_target(group, group.members, configured, FOR_EPOCH_2)
    assert targets == {"a": TasksTuple(tasks(0))}
    assert records == [StreamsTargetEpochRecord(APP, FOR_EPOCH_2[0])]


def test_nobody_has_tasks_while_topics_are_missing() -> None:
    group = group_of_static()
    configured = configure_topics(TOPOLOGY, 0, lambda _: None)
    records, targets = compute_target(group, group.members, configured, FOR_EPOCH_2)
    assert targets == {"a": NO_TASKS}
    assert records[0] == StreamsTargetRecord(APP, "a", NO_TASKS)

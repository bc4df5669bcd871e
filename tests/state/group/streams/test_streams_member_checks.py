import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.streams_heartbeat import StreamsHeartbeat
from mockbroker.state.group.streams.streams_member_checks import (
    check_member_epoch,
    check_static_member,
    check_tasks,
    check_unreleased,
)
from mockbroker.state.group.streams.tasks import AssignedTasks, Tasks
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredSubtopology
from tests.state.group.streams.streams_building import APP, tasks

MEMBER = StreamsGroupMember("m", 3, 2, assigned=AssignedTasks({"0": {0: 2}}))


def beat(member_epoch: int, active: Tasks | None = None) -> StreamsHeartbeat:
    request = StreamsHeartbeat(APP, "m", member_epoch)
    return request if active is None else request._replace(active=active, standby={}, warmup={})


@pytest.mark.parametrize("request_", [beat(3), beat(0), beat(2, tasks(0)), beat(2, {})])
def test_the_present_epoch_passes_and_a_repeated_one(request_: StreamsHeartbeat) -> None:
    check_member_epoch(MEMBER, request_)


@pytest.mark.parametrize(
    "request_", [beat(4), beat(1, {}), beat(2), beat(2, tasks(1)), beat(2, tasks(0, name="1"))]
)
def test_other_epochs_are_fenced(request_: StreamsHeartbeat) -> None:
    with pytest.raises(ApiError) as refused:
        check_member_epoch(MEMBER, request_)
    assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH


def test_an_instance_id_belongs_to_one_member() -> None:
    assert check_static_member(MEMBER, "m", "i") is MEMBER
    with pytest.raises(ApiError) as fenced:
        check_static_member(MEMBER, "other", "i")
    assert fenced.value.code is ErrorCode.FENCED_INSTANCE_ID
    with pytest.raises(ApiError) as unknown:
        check_static_member(None, "m", "i")
    assert unknown.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_has_to_leave_first() -> None:
    check_unreleased(MEMBER._replace(member_epoch=-2), "other", "i")
    with pytest.raises(ApiError) as refused:
        check_unreleased(MEMBER, "other", "i")
    assert refused.value.code is ErrorCode.UNRELEASED_INSTANCE_ID


@pytest.mark.parametrize(
    ("owned", "why"),
    [
        (tasks(0, name="7"), "Subtopology 7 does not exist in the topology."),
        (
            tasks(0, 2),
            "Task 2 for subtopology 0 is invalid. Number of tasks for this subtopology: 2",
        ),
    ],
)
def test_tasks_have_to_exist(owned: Tasks, why: str) -> None:
    subtopologies = {"0": ConfiguredSubtopology(2, ("orders",), {}, (), {})}
    check_tasks((None, tasks(0, 1)), subtopologies)
    with pytest.raises(ApiError) as refused:
        check_tasks((None, owned), subtopologies)
    assert refused.value.why == why

from typing import Any

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_heartbeat import (
    SUBTOPOLOGIES_MAX,
    SentTopology,
    StreamsHeartbeat,
    check_heartbeat,
    offsets_by_task,
)
from mockbroker.state.group.streams.topics.topology import Subtopology, TopicInfo
from tests.state.group.streams.streams_building import APP, tasks

JOINS: dict[str, Any] = {
    "group_id": APP,
    "member_id": "m",
    "member_epoch": 0,
    "rebalance_timeout_ms": 5,
    "topology": SentTopology(0, []),
    "active": {},
    "standby": {},
    "warmup": {},
}
STAYS: dict[str, Any] = {"group_id": APP, "member_id": "m", "member_epoch": 3}


def why(fields: dict[str, Any]) -> str:
    with pytest.raises(ApiError) as refused:
        check_heartbeat(StreamsHeartbeat(**fields))
    return f"{refused.value.code.name} {refused.value.why}"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("member_id", " ", "MemberId can't be empty."),
        ("group_id", "", "GroupId can't be empty."),
        ("instance_id", "", "InstanceId can't be empty."),
        ("rack_id", "", "RackId can't be empty."),
        ("rebalance_timeout_ms", -1, "RebalanceTimeoutMs must be provided in first request."),
        ("active", tasks(0), "ActiveTasks must be empty when (re-)joining."),
        ("warmup", None, "WarmupTasks must be empty when (re-)joining."),
        ("topology", None, "Topology must be non-null when (re-)joining."),
        (
            "topology",
            SentTopology(0, [Subtopology("0", source_topic_regex=("a.*",))]),
            "Regular expressions for source topics are not supported yet.",
        ),
    ],
)
def test_joining_is_refused(field: str, value: object, message: str) -> None:
    assert why({**JOINS, field: value}) == f"INVALID_REQUEST {message}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"member_epoch": -2}, "InstanceId can't be null."),
        ({"member_epoch": -3}, "MemberEpoch is -3, but must be greater than or equal to -2."),
        ({"active": {}}, "If one task-type is non-null, all must be non-null."),
        (
            {"topology": SentTopology(0, [])},
            "Topology can only be provided when (re-)joining.",
        ),
    ],
)
def test_staying_is_refused(fields: dict[str, Any], message: str) -> None:
    assert why({**STAYS, **fields}) == f"INVALID_REQUEST {message}"


def test_a_changelog_topic_has_no_count_of_its_own() -> None:
    subtopology = Subtopology("0", state_changelog_topics=(TopicInfo("log", 2),))
    refusal = why({**JOINS, "topology": SentTopology(0, [subtopology])})
    assert refusal.startswith(ErrorCode.STREAMS_INVALID_TOPOLOGY.name)


def test_a_topology_has_a_thousand_subtopologies_at_most() -> None:
    subtopologies = [Subtopology(str(number)) for number in range(SUBTOPOLOGIES_MAX)]
    check_heartbeat(StreamsHeartbeat(**{**JOINS, "topology": SentTopology(0, subtopologies)}))
    more = SentTopology(0, [*subtopologies, Subtopology("one more")])
    message = "STREAMS_INVALID_TOPOLOGY mockbroker accepts at most 1000 subtopologies."
    assert why({**JOINS, "topology": more}) == message


def test_valid_requests_pass() -> None:
    check_heartbeat(StreamsHeartbeat(**JOINS))
    check_heartbeat(StreamsHeartbeat(**STAYS))
    check_heartbeat(StreamsHeartbeat(**{**STAYS, "member_epoch": -2, "instance_id": "i"}))


def test_tasks_are_owned_if_all_roles_are_given() -> None:
    assert StreamsHeartbeat(**JOINS).owned is not None
    assert StreamsHeartbeat(**STAYS).owned is None


def test_offsets_are_grouped_by_task() -> None:
    assert offsets_by_task([("0", 1, 5), ("0", 2, 6)]) == {"0": {1: 5, 2: 6}}
    with pytest.raises(ApiError) as refused:
        offsets_by_task([("0", 1, 5), ("0", 1, 6)])
    assert refused.value.code is ErrorCode.INVALID_REQUEST

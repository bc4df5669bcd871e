import json
from pathlib import Path
from typing import Any

import pytest

from mockbroker.state.group.streams.assignor.sticky_task_assignor import (
    AssignmentMember,
    assign_tasks,
)
from mockbroker.state.group.streams.tasks import TasksTuple
from mockbroker.state.group.streams.topics.configured_topology import (
    ConfiguredInternalTopic,
    ConfiguredSubtopology,
)
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

RECORDED = Path(__file__).with_name("recorded_assignments.jsonl")
"""Random groups, and the tasks that the `StickyTaskAssignor` of Kafka 4.4.0 gave their members."""


def subtopology(task_count: int, *, stateful: bool = False) -> ConfiguredSubtopology:
    changelog = {"changelog": ConfiguredInternalTopic("changelog", task_count)} if stateful else {}
    return ConfiguredSubtopology(task_count, ("t",), {}, (), changelog)


def recorded() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text().splitlines()]


def partitions(tasks: dict[str, list[int]]) -> dict[str, frozenset[int]]:
    return {name: frozenset(listed) for name, listed in tasks.items()}


@pytest.mark.parametrize("case", recorded())
def test_assignments_are_those_of_kafka(case: Any) -> None:
    members = {
        member_id: AssignmentMember(
            process_id,
            partitions(active),
            partitions(standby),
            {name: {int(p): offset for p, offset in each.items()} for name, each in sums.items()},
        )
        for member_id, process_id, active, standby, sums in case["members"]
    }
    assigned = assign_tasks(
        {member_id: members[member_id] for member_id in texts_in_java_hash_order(members)},
        {
            name: subtopology(count, stateful=bool(is_stateful))
            for name, (count, is_stateful) in case["topology"].items()
        },
        case["standby"],
    )
    assert assigned == {
        member_id: TasksTuple(partitions(active), partitions(standby))
        for member_id, (active, standby) in case["result"].items()
    }


def test_active_tasks_stay_where_they_are() -> None:
    members = {
        "a": AssignmentMember("p", {"0": frozenset({1})}),
        "b": AssignmentMember("q", {"0": frozenset({0})}),
    }
    assert assign_tasks(members, {"0": subtopology(2)}, 0) == {
        "a": TasksTuple({"0": frozenset({1})}),
        "b": TasksTuple({"0": frozenset({0})}),
    }


def test_a_member_with_a_standby_task_takes_over_the_active_one() -> None:
    members = {
        "a": AssignmentMember("p"),
        "b": AssignmentMember("q", standby={"0": frozenset({0})}),
    }
    assert assign_tasks(members, {"0": subtopology(1, stateful=True)}, 0) == {
        "a": TasksTuple(),
        "b": TasksTuple({"0": frozenset({0})}),
    }


def test_a_standby_task_is_never_in_the_process_of_its_active_task() -> None:
    members = {"a": AssignmentMember("p"), "b": AssignmentMember("p")}
    assigned = assign_tasks(members, {"0": subtopology(1, stateful=True)}, 1)
    assert all(not tasks.standby for tasks in assigned.values())


def test_stateless_tasks_have_no_standby_tasks() -> None:
    members = {"a": AssignmentMember("p"), "b": AssignmentMember("q")}
    assigned = assign_tasks(members, {"0": subtopology(1)}, 1)
    assert all(not tasks.standby for tasks in assigned.values())


def test_a_group_without_members_gets_nothing() -> None:
    assert assign_tasks({}, {"0": subtopology(3, stateful=True)}, 1) == {}

from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.task_owners import TaskOwners
from mockbroker.state.group.streams.tasks import AssignedTasks, TaskId
from tests.state.group.streams.streams_building import tasks

TASK = TaskId("0", 0)


def member(process_id: str, **roles: object) -> StreamsGroupMember:
    assigned = AssignedTasks()._replace(**roles)  # type: ignore[arg-type]
    return StreamsGroupMember(process_id, process_id=process_id, assigned=assigned)


def test_an_active_task_belongs_to_the_last_process() -> None:
    owners = TaskOwners()
    one, two = member("p", active={"0": {0: 1}}), member("q", active={"0": {0: 2}})
    owners.add(one)
    owners.add(two)
    owners.remove(one)
    assert owners.holders.active(TASK) == "q"
    owners.remove(two)
    assert owners.holders.active(TASK) is None


def test_other_tasks_have_several_processes() -> None:
    owners = TaskOwners()
    one, two = member("p", standby=tasks(0)), member("q", standby=tasks(0), warmup=tasks(0))
    owners.add(one)
    owners.add(two)
    assert owners.holders.standby(TASK) == {"p", "q"}
    assert owners.holders.warmup(TASK) == {"q"}
    owners.remove(one)
    owners.remove(two)
    assert owners.holders.standby(TASK) == frozenset()
    assert owners.holders.warmup(TASK) == frozenset()

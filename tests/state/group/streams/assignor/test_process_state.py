from mockbroker.state.group.streams.assignor.process_state import ProcessState
from mockbroker.state.group.streams.tasks import TaskId


def test_the_member_with_the_fewest_tasks_comes_first() -> None:
    process = ProcessState()
    process.add_member("a")
    process.add_member("b")
    assert process.add_task("a", TaskId("0", 0), is_active=True) == 1
    assert process.add_task_to_least_loaded_member(TaskId("0", 1), is_active=True) == 1
    assert process.add_task_to_least_loaded_member(TaskId("0", 2), is_active=False) == 2
    assert process.active["b"] == [TaskId("0", 1)]
    assert sorted(process.member_loads.values()) == [1, 2]
    assert process.load == 1.5

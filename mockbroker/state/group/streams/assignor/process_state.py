"""Load of one process during an assignment (Kafka's `ProcessState`)."""

from typing import Final

from mockbroker.state.group.streams.assignor.java_priority_queue import JavaPriorityQueue
from mockbroker.state.group.streams.tasks import TaskId
from mockbroker.state.topic.java_hash import texts_in_java_hash_order


class ProcessState:
    """Members of one process, and the tasks that they have been given so far."""

    __slots__ = ("_by_load", "_task_count", "active", "load", "member_loads", "standby", "tasks")

    def __init__(self) -> None:
        """Create a process without members."""
        self.member_loads: Final[dict[str, int]] = {}
        """Number of tasks of each member."""
        self.active: Final[dict[str, list[TaskId]]] = {}
        self.standby: Final[dict[str, list[TaskId]]] = {}
        self.tasks: Final[set[TaskId]] = set()
        self.load = 0.0
        """Number of tasks per member."""
        self._task_count = 0
        self._by_load: JavaPriorityQueue[str] | None = None

    def add_member(self, member_id: str) -> None:
        """Add a member without tasks."""
        self.member_loads[member_id] = 0
        self.active[member_id] = []
        self.standby[member_id] = []

    def add_task(self, member_id: str, task: TaskId, *, is_active: bool) -> int:
        """Give a task to a member, and return how many it has now."""
        self._by_load = None
        return self._add(member_id, task, is_active=is_active)

    def add_task_to_least_loaded_member(self, task: TaskId, *, is_active: bool) -> int:
        """Give a task to the member with the fewest, and return how many it has now."""
        if self._by_load is None:
            self._by_load = JavaPriorityQueue(self.member_loads.__getitem__)
            for member_id in texts_in_java_hash_order(self.member_loads):
                self._by_load.add(member_id)
        member_id = self._by_load.poll()
        count = self._add(member_id, task, is_active=is_active)
        self._by_load.add(member_id)
        return count

    def _add(self, member_id: str, task: TaskId, *, is_active: bool) -> int:
        self.tasks.add(task)
        (self.active if is_active else self.standby)[member_id].append(task)
        self.member_loads[member_id] += 1
        self._task_count += 1
        self.load = self._task_count / len(self.member_loads)
        return self.member_loads[member_id]

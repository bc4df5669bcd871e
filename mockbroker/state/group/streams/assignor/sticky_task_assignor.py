"""Assignment of tasks to members, by Kafka 4.4's `StickyTaskAssignor` (KIP-1071).

1. An active task stays at the member that has it, then goes to one that has it as standby, as long
   as these have less than their share; the rest goes to the processes with the least load.
2. Standby tasks follow in the same manner; none is in a process that has the task already.
3. Ties are broken as by Java's hash maps and priority queues, so that assignments are Kafka's own.

Members report offsets of the state on their disks: they rank behind the members that have a standby
task now. Kafka 4.4 assigns no warm-up tasks, and does not use client tags yet.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from mockbroker.state.group.streams.assignor.java_priority_queue import JavaPriorityQueue
from mockbroker.state.group.streams.assignor.process_state import ProcessState
from mockbroker.state.group.streams.tasks import (
    TaskId,
    Tasks,
    TasksTuple,
    grouped,
    has_task,
    single_tasks,
)
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredSubtopology
from mockbroker.state.topic.java_hash import texts_in_computed_order

STICKY: Final = "sticky"
"""Name of the assignor in StreamsGroupDescribe."""

_NO_OFFSETS: Final[Mapping[str, Mapping[int, int]]] = MappingProxyType({})
_NO_TASKS: Final[Tasks] = MappingProxyType({})


class AssignmentMember(NamedTuple):
    """What the assignor knows of a member."""

    process_id: str
    active: Tasks = _NO_TASKS
    standby: Tasks = _NO_TASKS
    task_offsets: Mapping[str, Mapping[int, int]] = _NO_OFFSETS
    """Sums of changelog offsets that the member reported, by partition, by subtopology."""


class _Member(NamedTuple):
    process_id: str
    member_id: str


class _Candidate(NamedTuple):
    """A member with state of a task; sorted, the best comes first."""

    is_not_standby: bool
    negative_offset: int
    member: _Member


def assign_tasks(
    members: Mapping[str, AssignmentMember],
    subtopologies: Mapping[str, ConfiguredSubtopology],
    standby_replicas: int,
) -> dict[str, TasksTuple]:
    """Return the tasks of each member; the members are in the order of Kafka's hash map."""
    assignment = _Assignment(members, subtopologies, standby_replicas)
    active, stateful = [], []
    for name, subtopology in subtopologies.items():
        tasks = [TaskId(name, partition) for partition in range(subtopology.task_count)]
        active += tasks
        if subtopology.is_stateful:
            stateful += tasks
    if members:
        assignment.assign_active(active)
        if standby_replicas:
            assignment.assign_standby(stateful)
    return assignment.result()


class _Quota:
    """Share of each member; as members reach it, it is computed anew for the others."""

    __slots__ = ("_members", "_tasks", "per_member")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self._share()

    def note(self, task_count: int) -> None:
        """Note that a member has so many tasks now."""
        if task_count == self.per_member:
            self._members -= 1
            self._tasks -= task_count
            self._share()

    def _share(self) -> None:
        self.per_member = -(-self._tasks // self._members) if self._members else 0


class _Assignment:
    """One run of the assignor."""

    def __init__(
        self,
        members: Mapping[str, AssignmentMember],
        subtopologies: Mapping[str, ConfiguredSubtopology],
        standby_replicas: int,
    ) -> None:
        self._members = members
        self._standby_replicas = standby_replicas
        active = sum(each.task_count for each in subtopologies.values())
        stateful = sum(each.task_count for each in subtopologies.values() if each.is_stateful)
        self._active_quota = _Quota(active, len(members))
        self._quota = _Quota(active + stateful * standby_replicas, len(members))
        self._processes: dict[str, ProcessState] = {}
        self._former_active: dict[TaskId, _Member] = {}
        candidates: dict[TaskId, list[_Candidate]] = {}
        for member_id, known in members.items():
            member = _Member(known.process_id, member_id)
            self._processes.setdefault(known.process_id, ProcessState()).add_member(member_id)
            self._former_active |= dict.fromkeys(single_tasks(known.active), member)
            for task, candidate in _candidates(member, known).items():
                candidates.setdefault(task, []).append(candidate)
        self._former_standby = {
            task: [each.member for each in sorted(found, key=lambda candidate: candidate[:2])]
            for task, found in candidates.items()
        }

    def assign_active(self, tasks: list[TaskId]) -> None:
        """Assign the active tasks, of which none is assigned yet."""
        tasks = sorted(tasks, key=lambda task: (task.partition, task.subtopology_id))
        tasks = [
            task for task in tasks if not self._keep_active(task, self._former_active.get(task))
        ]
        tasks = [
            task
            for task in tasks
            if not self._keep_active(task, self._least_loaded(self._former_standby.get(task, ())))
        ]
        processes = self._processes_by_load()
        for task in sorted(tasks):
            process = processes.poll()
            self._note_active(process.add_task_to_least_loaded_member(task, is_active=True))
            processes.add(process)

    def assign_standby(self, tasks: list[TaskId]) -> None:
        """Assign the standby tasks, after the active ones."""
        tasks = sorted(tasks, key=lambda task: (task.partition, task.subtopology_id), reverse=True)
        left = [(task, self._standby_replicas - self._keep_standby(task)) for task in tasks]
        processes = self._processes_by_load()
        for task, replicas in sorted(left, reverse=True):
            for _ in range(replicas):
                if not self._assign_least_loaded(processes, task):
                    break

    def result(self) -> dict[str, TasksTuple]:
        """Return what was assigned to each member."""
        return {
            member_id: TasksTuple(
                grouped(self._processes[known.process_id].active[member_id]),
                grouped(self._processes[known.process_id].standby[member_id]),
            )
            for member_id, known in self._members.items()
        }

    def _keep_active(self, task: TaskId, member: _Member | None) -> bool:
        """Assign an active task to a former member if that has less than its share.

        Returns:
            True if the task is assigned.

        """
        if member is None:
            return False
        process = self._processes[member.process_id]
        if process.member_loads[member.member_id] >= self._active_quota.per_member:
            return False
        self._note_active(process.add_task(member.member_id, task, is_active=True))
        return True

    def _note_active(self, task_count: int) -> None:
        self._active_quota.note(task_count)
        self._quota.note(task_count)

    def _keep_standby(self, task: TaskId) -> int:
        """Assign replicas of a task to its former members, and return how many."""
        for replica in range(self._standby_replicas):
            active = self._former_active.get(task)
            if self._add_standby(active, task):
                continue
            members = [
                member
                for member in self._former_standby.get(task, ())
                if task not in self._processes[member.process_id].tasks
            ]
            if not self._add_standby(self._least_loaded(members), task):
                return replica
        return self._standby_replicas

    def _add_standby(self, member: _Member | None, task: TaskId) -> bool:
        if member is None:
            return False
        process = self._processes[member.process_id]
        is_full = process.member_loads[member.member_id] >= self._quota.per_member
        if is_full or task in process.tasks:
            return False
        self._quota.note(process.add_task(member.member_id, task, is_active=False))
        return True

    def _least_loaded(self, members: Sequence[_Member]) -> _Member | None:
        """Return the first member, or a later one if both it and its process have less load."""
        best: _Member | None = None
        best_loads = (0.0, 0)
        for member in members:
            process = self._processes[member.process_id]
            loads = (process.load, process.member_loads[member.member_id])
            if best is None or (loads[0] < best_loads[0] and loads[1] < best_loads[1]):
                best, best_loads = member, loads
        return best

    def _processes_by_load(self) -> JavaPriorityQueue[ProcessState]:
        queue = JavaPriorityQueue[ProcessState](lambda process: process.load)
        for process_id in texts_in_computed_order(self._processes, len(self._members)):
            queue.add(self._processes[process_id])
        return queue

    def _assign_least_loaded(self, queue: JavaPriorityQueue[ProcessState], task: TaskId) -> bool:
        """Assign a standby task to the process with the least load that does not have the task.

        Returns:
            False if every process has the task.

        """
        having: list[ProcessState] = []
        is_assigned = False
        while len(queue) and not is_assigned:
            process = queue.poll()
            having.append(process)
            if task not in process.tasks:
                self._quota.note(process.add_task_to_least_loaded_member(task, is_active=False))
                is_assigned = True
        for process in reversed(having):
            queue.add(process)
        return is_assigned


def _candidates(member: _Member, known: AssignmentMember) -> dict[TaskId, _Candidate]:
    """Return the tasks whose state a member has, or has on its disk."""
    reported = {
        TaskId(name, partition): offset
        for name, offsets in known.task_offsets.items()
        for partition, offset in offsets.items()
    }
    standby = {
        task: _Candidate(False, -reported.get(task, 0), member)
        for task in single_tasks(known.standby)
    }
    others = {
        task: _Candidate(True, -offset, member)
        for task, offset in reported.items()
        if not has_task(known.standby, task)
    }
    return standby | others

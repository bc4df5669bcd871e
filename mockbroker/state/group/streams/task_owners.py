"""Processes that hold each task of a group.

As in Kafka, an active task has one process, the last one that it was assigned to; a standby or
warm-up task has a set of processes, which loses a process with the first of its members.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from mockbroker.state.group.streams.current_assignment import TaskHolders
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.tasks import TaskId, single_tasks

_NOBODY: Final[frozenset[str]] = frozenset()


class TaskOwners:
    """Holders of tasks, those that are to be given up included."""

    __slots__ = ("_active", "_standby", "_warmup", "holders")

    def __init__(self) -> None:
        """Start without tasks."""
        self._active: Final[dict[TaskId, str]] = {}
        self._standby: Final[dict[TaskId, frozenset[str]]] = {}
        self._warmup: Final[dict[TaskId, frozenset[str]]] = {}
        self.holders: Final = TaskHolders(
            self._active.get,
            lambda task: self._standby.get(task, _NOBODY),
            lambda task: self._warmup.get(task, _NOBODY),
        )

    def add(self, member: StreamsGroupMember) -> None:
        """Note the tasks of a member."""
        process_id = member.process_id
        for assigned in (member.assigned, member.pending_revocation):
            self._active.update(dict.fromkeys(single_tasks(assigned.active), process_id))
            _add(self._standby, assigned.standby, process_id)
            _add(self._warmup, assigned.warmup, process_id)

    def remove(self, member: StreamsGroupMember) -> None:
        """Forget the tasks of a member."""
        process_id = member.process_id
        for assigned in (member.assigned, member.pending_revocation):
            for task in single_tasks(assigned.active):
                if self._active.get(task) == process_id:
                    del self._active[task]
            _remove(self._standby, assigned.standby, process_id)
            _remove(self._warmup, assigned.warmup, process_id)


def _add(
    holders: dict[TaskId, frozenset[str]], tasks: Mapping[str, Iterable[int]], process_id: str
) -> None:
    for task in single_tasks(tasks):
        holders[task] = holders.get(task, _NOBODY) | {process_id}


def _remove(
    holders: dict[TaskId, frozenset[str]], tasks: Mapping[str, Iterable[int]], process_id: str
) -> None:
    for task in single_tasks(tasks):
        left = holders.pop(task, _NOBODY) - {process_id}
        if left:
            holders[task] = left

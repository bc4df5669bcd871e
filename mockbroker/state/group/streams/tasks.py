"""Tasks of streams groups (KIP-1071): a subtopology and a partition of its input.

Tasks are grouped by subtopology. No value has a subtopology without tasks, so that equal tasks
are equal values.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

Tasks: TypeAlias = Mapping[str, frozenset[int]]
"""Partitions of tasks, by the id of their subtopology."""

EpochTasks: TypeAlias = Mapping[str, Mapping[int, int]]
"""Epochs at which active tasks were assigned, by partition, by the id of their subtopology."""


_NONE: Final[Tasks] = MappingProxyType({})
_NONE_WITH_EPOCHS: Final[EpochTasks] = MappingProxyType({})


class TaskId(NamedTuple):
    """One task; printed as Kafka Streams does, such as `0_3`."""

    subtopology_id: str
    partition: int

    def __str__(self) -> str:
        """Show the task as `subtopology_partition`."""
        return f"{self.subtopology_id}_{self.partition}"


class TasksTuple(NamedTuple):
    """Tasks of a member by role, without epochs: a target, or what a member says it owns."""

    active: Tasks = _NONE
    standby: Tasks = _NONE
    warmup: Tasks = _NONE


class AssignedTasks(NamedTuple):
    """Tasks of a member by role, active ones with epochs (Kafka's `TasksTupleWithEpochs`)."""

    active: EpochTasks = _NONE_WITH_EPOCHS
    standby: Tasks = _NONE
    warmup: Tasks = _NONE

    @property
    def is_empty(self) -> bool:
        """True if there is no task."""
        return not (self.active or self.standby or self.warmup)

    def without_epochs(self) -> TasksTuple:
        """Return the same tasks without the epochs of the active ones."""
        return TasksTuple(partitions_of(self.active), self.standby, self.warmup)

    def with_epochs_at_zero(self) -> "AssignedTasks":
        """Return the same tasks, the active ones assigned at epoch 0.

        A static member that leaves for a while accepts commits of its old epochs when it is back.
        """
        active = {name: dict.fromkeys(epochs, 0) for name, epochs in self.active.items()}
        return self._replace(active=active)


NO_TASKS = TasksTuple()
NONE_ASSIGNED = AssignedTasks()


def grouped(tasks: Iterable[tuple[str, int]]) -> dict[str, frozenset[int]]:
    """Group single tasks by their subtopology."""
    groups: dict[str, set[int]] = {}
    for subtopology_id, partition in tasks:
        groups.setdefault(subtopology_id, set()).add(partition)
    return {name: frozenset(partitions) for name, partitions in groups.items()}


def grouped_epochs(tasks: Iterable[tuple[str, int, int]]) -> dict[str, dict[int, int]]:
    """Group single tasks, each with its epoch, by their subtopology."""
    groups: dict[str, dict[int, int]] = {}
    for subtopology_id, partition, assigned_epoch in tasks:
        groups.setdefault(subtopology_id, {})[partition] = assigned_epoch
    return groups


def single_tasks(tasks: Mapping[str, Iterable[int]]) -> Iterator[TaskId]:
    """Yield each task of a grouping."""
    for subtopology_id, partitions in tasks.items():
        for partition in partitions:
            yield TaskId(subtopology_id, partition)


def partitions_of(tasks: EpochTasks) -> dict[str, frozenset[int]]:
    """Return active tasks without their epochs."""
    return {name: frozenset(epochs) for name, epochs in tasks.items()}


def has_task(tasks: Mapping[str, Iterable[int]], task: TaskId) -> bool:
    """Return True if a task is in a grouping."""
    return task.partition in tasks.get(task.subtopology_id, ())


def merged(one: Tasks, other: Tasks) -> dict[str, frozenset[int]]:
    """Return the tasks of both groupings."""
    return grouped([*single_tasks(one), *single_tasks(other)])


def contains_any(owned: TasksTuple, others: AssignedTasks) -> bool:
    """Return True if a member owns any of other tasks in the same role."""
    return any(
        not partitions.isdisjoint(role_of_others.get(name, ()))
        for role, role_of_others in zip(owned, others, strict=True)
        for name, partitions in role.items()
    )


def tasks_as_text(tasks: TasksTuple | AssignedTasks) -> str:
    """Show tasks in a stable form, role by role; active ones with their epochs if they have any."""
    return " ".join(
        f"{role} {', '.join(_as_text(name, each[name]) for name in sorted(each))}"
        for role, each in zip(tasks._fields, tasks, strict=True)
        if each
    )


def _as_text(name: str, partitions: Iterable[int]) -> str:
    shown = sorted(partitions.items()) if isinstance(partitions, Mapping) else sorted(partitions)
    return f"{name}:{shown}"

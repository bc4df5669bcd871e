"""Reconciliation of a member with its target assignment (Kafka's `CurrentAssignmentBuilder`).

Rules:

1. A member first gives up the tasks that are not in its target, and keeps its epoch until it no
   longer reports them.
2. It then gets its target's epoch, and the tasks that nobody holds. A task that another process
   runs, or another member of its own process holds in any role, is unreleased: it follows later.
3. A member changes the role of a task without giving it up: an active task that becomes standby
   changes at once; a standby task that becomes active stays standby until the member gets it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group_member import (
    JOIN_EPOCH,
    StreamsGroupMember,
    StreamsMemberState,
)
from mockbroker.state.group.streams.tasks import (
    NONE_ASSIGNED,
    AssignedTasks,
    TaskId,
    Tasks,
    TasksTuple,
    contains_any,
    grouped,
    grouped_epochs,
    single_tasks,
)


class TaskHolders(NamedTuple):
    """Processes that hold a task now, those that are to give it up included."""

    active: Callable[[TaskId], str | None]
    standby: Callable[[TaskId], frozenset[str]]
    warmup: Callable[[TaskId], frozenset[str]]


def reconcile(
    member: StreamsGroupMember,
    target_epoch: int,
    target: TasksTuple,
    holders: TaskHolders,
    owned: TasksTuple | None,
) -> StreamsGroupMember:
    """Return the member after its next step towards its target; the same one if it has to wait.

    `owned` is what the member says it owns in this heartbeat, or None if it did not say.

    Raises:
        ApiError: FENCED_MEMBER_EPOCH for a member in an unknown state that still has tasks.

    """
    step = _Step(member, target_epoch, target, holders, owned)
    match member.state:
        case StreamsMemberState.STABLE if member.member_epoch == target_epoch:
            return member
        case StreamsMemberState.STABLE | StreamsMemberState.UNRELEASED_TASKS:
            return step.take(member.member_epoch)
        case StreamsMemberState.UNREVOKED_TASKS:
            if step.has_not_released(member.pending_revocation):
                return member
            return step.take(member.member_epoch + 1)
        case StreamsMemberState.UNKNOWN:
            if owned is None or any(owned):
                raise ApiError(
                    ErrorCode.FENCED_MEMBER_EPOCH,
                    "The streams group member is in a unknown state."
                    " The member must abandon all its tasks and rejoin.",
                )
            return step.take(target_epoch)


def held_back(
    member: StreamsGroupMember, target_epoch: int, owned: TasksTuple | None
) -> StreamsGroupMember:
    """Return a member that is not to learn of its target for the time being.

    A member that joins, or has given up what it had to, waits as if others had not released its
    tasks yet: it keeps what it has. Any other member does not change.
    """
    is_revoking = member.state is StreamsMemberState.UNREVOKED_TASKS
    has_revoked = (
        is_revoking and owned is not None and not contains_any(owned, member.pending_revocation)
    )
    if member.member_epoch > JOIN_EPOCH and not has_revoked:
        return member
    return member.at_epoch(target_epoch)._replace(
        state=StreamsMemberState.UNRELEASED_TASKS, pending_revocation=NONE_ASSIGNED
    )


class _Step:
    """One step of a member."""

    def __init__(
        self,
        member: StreamsGroupMember,
        target_epoch: int,
        target: TasksTuple,
        holders: TaskHolders,
        owned: TasksTuple | None,
    ) -> None:
        self._member = member
        self._target_epoch = target_epoch
        self._target = target
        self._holders = holders
        self._owned = owned
        assigned = member.assigned.without_epochs()
        self._active, self._standby, self._warmup = map(_Role, assigned)
        self._active.compare(target.active, self._is_unreleased_active)
        self._standby.compare(target.standby, self._is_unreleased_standby)
        self._warmup.compare(target.warmup, self._is_unreleased_warmup)

    def take(self, member_epoch: int) -> StreamsGroupMember:
        """Return the member with the tasks that it may have now."""
        active, standby, warmup = self._active, self._standby, self._warmup
        standby.convert(active.current, set())
        warmup.convert(standby.current, standby.revoked)
        standby.convert(warmup.current, warmup.revoked)
        promoted = set(single_tasks(self._target.active))
        standby.revoked -= promoted
        warmup.revoked -= promoted
        revoked = AssignedTasks(
            self._with_epochs(active.revoked), grouped(standby.revoked), grouped(warmup.revoked)
        )
        has_to_revoke = not revoked.is_empty and self.has_not_released(revoked)
        for role in (standby, warmup):
            granted: set[TaskId] = set() if has_to_revoke else active.granted
            role.kept |= (role.current & promoted) - granted
        if has_to_revoke:
            return self._member.at_epoch(member_epoch)._replace(
                state=StreamsMemberState.UNREVOKED_TASKS,
                assigned=AssignedTasks(
                    self._with_epochs(active.kept), grouped(standby.kept), grouped(warmup.kept)
                ),
                pending_revocation=revoked,
            )
        is_waiting = active.has_unreleased or standby.has_unreleased or warmup.has_unreleased
        return self._member.at_epoch(self._target_epoch)._replace(
            state=StreamsMemberState.UNRELEASED_TASKS if is_waiting else StreamsMemberState.STABLE,
            assigned=AssignedTasks(
                self._with_epochs(active.kept | active.granted),
                grouped(standby.kept | standby.granted),
                grouped(warmup.kept | warmup.granted),
            ),
            pending_revocation=NONE_ASSIGNED,
        )

    def has_not_released(self, tasks: AssignedTasks) -> bool:
        """Return True unless the member said that it no longer owns any of the tasks."""
        return self._owned is None or contains_any(self._owned, tasks)

    def _with_epochs(self, tasks: set[TaskId]) -> dict[str, dict[int, int]]:
        current = self._member.assigned.active
        return grouped_epochs(
            (name, partition, current.get(name, {}).get(partition, self._target_epoch))
            for name, partition in tasks
        )

    def _is_unreleased_active(self, task: TaskId) -> bool:
        return (
            self._holders.active(task) is not None
            or self._is_beside(self._holders.standby, self._standby.current, task)
            or self._is_beside(self._holders.warmup, self._warmup.current, task)
        )

    def _is_unreleased_standby(self, task: TaskId) -> bool:
        process_id = self._member.process_id
        return (
            (self._holders.active(task) == process_id and task not in self._active.current)
            or process_id in self._holders.standby(task)
            or self._is_beside(self._holders.warmup, self._warmup.current, task)
        )

    def _is_unreleased_warmup(self, task: TaskId) -> bool:
        process_id = self._member.process_id
        return (
            self._holders.active(task) == process_id
            or self._is_beside(self._holders.standby, self._standby.current, task)
            or process_id in self._holders.warmup(task)
        )

    def _is_beside(
        self,
        holders: Callable[[TaskId], frozenset[str]],
        own: set[TaskId],
        task: TaskId,
    ) -> bool:
        """Return True if another member of the same process holds a task."""
        return self._member.process_id in holders(task) and task not in own


class _Role:
    """Tasks of a member in one role: those it keeps, gives up and gets in a step."""

    __slots__ = ("current", "granted", "has_unreleased", "kept", "revoked")

    def __init__(self, current: Mapping[str, Iterable[int]]) -> None:
        self.current = set(single_tasks(current))
        self.kept: set[TaskId] = set()
        self.revoked: set[TaskId] = set()
        self.granted: set[TaskId] = set()
        self.has_unreleased = False

    def compare(self, target: Tasks, is_unreleased: Callable[[TaskId], bool]) -> None:
        """Compare the tasks with those of the target."""
        wanted = set(single_tasks(target))
        self.kept = self.current & wanted
        self.revoked = self.current - wanted
        unreleased = {task for task in wanted - self.current if is_unreleased(task)}
        self.granted = wanted - self.current - unreleased
        self.has_unreleased = bool(unreleased)

    def convert(self, held: set[TaskId], revoked: set[TaskId]) -> None:
        """Take over tasks at once that the member holds in another role."""
        converted = self.granted & held
        self.granted -= converted
        self.kept |= converted
        revoked -= converted

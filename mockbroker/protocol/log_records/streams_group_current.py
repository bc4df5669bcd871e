"""Records of `__consumer_offsets` with the tasks of a member of a streams group (KIP-1071)."""

from mockbroker.protocol.schema.message import (
    INT8,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class StreamsGroupCurrentMemberAssignmentKey(Message, versions="0"):
    group_id: str = field(STRING)
    member_id: str = field(STRING)


class TaskIds(Struct):
    subtopology_id: str = field(STRING)
    partitions: list[int] = field(array(INT32))
    assignment_epochs: list[int] | None = field(array(INT32), nullable="0+", tag=0, tagged="0+")


class StreamsGroupCurrentMemberAssignmentValue(Message, versions="0", flexible="0+"):
    member_epoch: int = field(INT32)
    previous_member_epoch: int = field(INT32)
    state: int = field(INT8)
    active_tasks: list[TaskIds] = field(array(TaskIds))
    standby_tasks: list[TaskIds] = field(array(TaskIds))
    warmup_tasks: list[TaskIds] = field(array(TaskIds))
    active_tasks_pending_revocation: list[TaskIds] = field(array(TaskIds))
    standby_tasks_pending_revocation: list[TaskIds] = field(array(TaskIds))
    warmup_tasks_pending_revocation: list[TaskIds] = field(array(TaskIds))

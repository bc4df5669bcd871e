"""Checks of a heartbeat against the members of its group, with Kafka's messages (KIP-1071)."""

from collections.abc import Iterable, Mapping

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group_member import (
    JOIN_EPOCH,
    STATIC_LEAVE_EPOCH,
    StreamsGroupMember,
)
from mockbroker.state.group.streams.streams_heartbeat import StreamsHeartbeat
from mockbroker.state.group.streams.tasks import Tasks
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredSubtopology


def check_member_epoch(member: StreamsGroupMember, request: StreamsHeartbeat) -> None:
    """Check the epoch of a member that stays.

    A member that has not received its last answer may repeat its heartbeat, if it owns no more than
    it was assigned.

    Raises:
        ApiError: FENCED_MEMBER_EPOCH.

    """
    received, known = request.member_epoch, member.member_epoch
    if received in {JOIN_EPOCH, known}:
        return
    if received > known:
        raise _fenced("greater", received, known)
    is_repeated = received == member.previous_member_epoch and _is_within(member, request)
    if not is_repeated:
        raise _fenced("smaller", received, known)


def check_static_member(
    member: StreamsGroupMember | None, member_id: str, instance_id: str
) -> StreamsGroupMember:
    """Return the static member with an instance id, which is to have this member id.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID.

    """
    if member is None:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if member.member_id != member_id:
        raise ApiError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member"
            f" {member.member_id}.",
        )
    return member


def check_unreleased(member: StreamsGroupMember, member_id: str, instance_id: str) -> None:
    """Check that a static member has left, so that another one may take its place.

    Raises:
        ApiError: UNRELEASED_INSTANCE_ID.

    """
    if member.member_epoch != STATIC_LEAVE_EPOCH:
        raise ApiError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} cannot join the group"
            f" because the instance id is owned by {member.member_id} member.",
        )


def check_tasks(
    roles: Iterable[Tasks | None], subtopologies: Mapping[str, ConfiguredSubtopology]
) -> None:
    """Check that the tasks that a member owns exist.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    listed = [(name, sorted(each)) for tasks in roles for name, each in (tasks or {}).items()]
    for name, partitions in listed:
        subtopology = subtopologies.get(name)
        if subtopology is None:
            raise _invalid(f"Subtopology {name} does not exist in the topology.")
        count = subtopology.task_count
        invalid = [partition for partition in partitions if not 0 <= partition < count]
        if invalid:
            raise _invalid(
                f"Task {invalid[0]} for subtopology {name} is invalid. Number of tasks for this"
                f" subtopology: {count}"
            )


def _is_within(member: StreamsGroupMember, request: StreamsHeartbeat) -> bool:
    owned = request.owned
    return owned is not None and all(
        name in assigned and partitions <= set(assigned[name])
        for role, assigned in zip(owned, member.assigned, strict=True)
        for name, partitions in role.items()
    )


def _fenced(how: str, received: int, known: int) -> ApiError:
    return ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The streams group member has a {how} member epoch ({received}) than the one known by the"
        f" group coordinator ({known}). The member must abandon all its partitions and rejoin.",
    )


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, why)

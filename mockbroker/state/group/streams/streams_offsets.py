"""Checks of the offsets that members of streams groups commit and fetch (KIP-1071).

A member may commit in an earlier epoch than its own, for the input of a task that it has had since
then (KIP-1251).
"""

from collections.abc import Iterable
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember

FIRST_WITH_MEMBER_EPOCHS: Final = 9
"""The version of OffsetCommit that members of streams groups have to use."""


def check_streams_commit(
    group: StreamsGroup,
    committer: tuple[str, int],
    partitions: Iterable[TopicPartition],
    *,
    version: int | None,
) -> None:
    """Check that a member, by its id and epoch, may commit offsets of partitions.

    `version` is that of OffsetCommit, or None in a transaction.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, UNSUPPORTED_VERSION, STALE_MEMBER_EPOCH.

    """
    member_id, member_epoch = committer
    if member_epoch < 0 and group.is_empty:
        return
    member = group.member(member_id)
    if version is not None and version < FIRST_WITH_MEMBER_EPOCHS:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "OffsetCommit version 9 or above must be used by members using the streams group"
            " protocol",
        )
    if member_epoch == member.member_epoch:
        return
    if member_epoch > member.member_epoch:
        raise _stale(
            f"Received member epoch {member_epoch} is newer than current member epoch"
            f" {member.member_epoch}."
        )
    for partition in partitions:
        _check_task(group, member, member_epoch, partition)


def check_streams_fetch(group: StreamsGroup, member_id: str | None, member_epoch: int) -> None:
    """Check that a member may fetch offsets; a client that is no member may.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH.

    """
    if member_id is None and member_epoch < 0:
        return
    known = group.member(member_id or "").member_epoch
    if member_epoch != known:
        raise _stale(
            f"The received member epoch {member_epoch} does not match the expected member epoch"
            f" {known}."
        )


def _check_task(
    group: StreamsGroup, member: StreamsGroupMember, member_epoch: int, partition: TopicPartition
) -> None:
    topic, index = partition
    subtopology = None if group.topology is None else group.topology.subtopology_of(topic)
    if subtopology is None:
        raise _stale(f"Topic {topic} is not in the topology.")
    name = subtopology.subtopology_id
    revoked = member.pending_revocation.active.get(name, {})
    assigned_epoch = member.assigned.active.get(name, {}).get(index, revoked.get(index))
    if assigned_epoch is None:
        raise _stale(f"Task {name}-{index} is not assigned or pending revocation for member.")
    if member_epoch < assigned_epoch:
        raise _stale(
            f"Received member epoch {member_epoch} is older than assignment epoch {assigned_epoch}"
            f" for task {name}-{index}."
        )


def _stale(why: str) -> ApiError:
    return ApiError(ErrorCode.STALE_MEMBER_EPOCH, why)

"""Checks of the offsets that members of consumer groups commit and fetch.

A member may commit in an earlier epoch than its own, for a partition that it has had since then
(KIP-1251).
"""

from collections.abc import Iterable

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition, Uuid
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember

NO_EPOCH = -1


def check_commit(
    group: ConsumerGroup,
    member_id: str,
    member_epoch: int,
    partitions: Iterable[tuple[Uuid, TopicPartition]],
) -> None:
    """Check that a member may commit offsets of partitions.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH; ILLEGAL_GENERATION for a classic member.

    """
    if member_epoch < 0 and not group.members:
        return
    member = group.member(member_id)
    if member_epoch == member.member_epoch:
        return
    what = _epoch_name(member)
    if member_epoch > member.member_epoch:
        raise _stale(
            member,
            f"Received {what} {member_epoch} is newer than current member epoch"
            f" {member.member_epoch}.",
        )
    for topic_id, partition in partitions:
        assigned_epoch = _epoch_of(member, topic_id, partition.partition)
        if assigned_epoch is None:
            raise _stale(
                member, f"Partition {partition} is not assigned or pending revocation for member."
            )
        if member_epoch < assigned_epoch:
            raise _stale(
                member,
                f"Received {what} {member_epoch} is older than assignment epoch {assigned_epoch}"
                f" for partition {partition}.",
            )


def check_fetch(group: ConsumerGroup, member_id: str | None, member_epoch: int) -> None:
    """Check that a member may fetch offsets; a client that is no member may.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH; ILLEGAL_GENERATION for a classic member.

    """
    if member_id is None and member_epoch < 0:
        return
    member = group.member(member_id or "")
    if member_epoch != member.member_epoch:
        raise _stale(
            member,
            f"The received {_epoch_name(member)} {member_epoch} does not match the expected member"
            f" epoch {member.member_epoch}.",
        )


def _epoch_of(member: ConsumerGroupMember, topic_id: Uuid, partition: int) -> int | None:
    assigned = member.current.assigned.get(topic_id, {})
    revoked = member.current.pending_revocation.get(topic_id, {})
    return assigned.get(partition, revoked.get(partition))


def _epoch_name(member: ConsumerGroupMember) -> str:
    return "generation id" if member.uses_classic else "member epoch"


def _stale(member: ConsumerGroupMember, why: str) -> ApiError:
    is_classic = member.uses_classic
    code = ErrorCode.ILLEGAL_GENERATION if is_classic else ErrorCode.STALE_MEMBER_EPOCH
    return ApiError(code, why)

"""Validation of offset commits, offset deletion and group deletion."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import UNKNOWN_MEMBER_ID
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.member_offsets import check_commit
from mockbroker.state.group.group import Group, GroupKind
from mockbroker.state.group.group_log_record import OffsetRecord
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_offsets import check_streams_commit
from mockbroker.state.release.group_options import GroupOptions

FIRST_WITH_MEMBER_EPOCHS: Final = 9
"""The version of OffsetCommit that members of consumer groups have to use."""


class Committer(NamedTuple):
    """The committing client's identity, as in OffsetCommit and TxnOffsetCommit."""

    member_id: str
    group_instance_id: str | None
    generation_id: int
    """Or the member epoch; negative outside of both: a simple consumer, or an admin client."""
    offset_commit_version: int | None = None
    """None in a transaction."""

    @property
    def is_named(self) -> bool:
        """True if the client claims to be a member."""
        return (
            self.generation_id >= 0
            or self.member_id != UNKNOWN_MEMBER_ID
            or self.group_instance_id is not None
        )


def validate_consumer_commit(
    group: ConsumerGroup, committer: Committer, records: Sequence[OffsetRecord]
) -> None:
    """Check that a client may commit offsets for a consumer group.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, UNSUPPORTED_VERSION, STALE_MEMBER_EPOCH, ILLEGAL_GENERATION.

    """
    version = committer.offset_commit_version
    if version is None and not committer.is_named:
        return
    is_simple = committer.generation_id < 0 and group.is_empty
    is_old = version is not None and version < FIRST_WITH_MEMBER_EPOCHS and not is_simple
    if is_old and not group.member(committer.member_id).uses_classic:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION,
            "OffsetCommit version 9 or above must be used by members using the consumer group"
            " protocol",
        )
    partitions = [
        (record.value.topic_id, record.partition) for record in records if record.value is not None
    ]
    check_commit(group, committer.member_id, committer.generation_id, partitions)


def validate_streams_commit(
    group: StreamsGroup, committer: Committer, records: Sequence[OffsetRecord]
) -> None:
    """Check that a client may commit offsets for a streams group.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, UNSUPPORTED_VERSION, STALE_MEMBER_EPOCH.

    """
    version = committer.offset_commit_version
    if version is not None or committer.is_named:
        check_streams_commit(
            group,
            (committer.member_id, committer.generation_id),
            [record.partition for record in records],
            version=version,
        )


def validate_offset_commit(
    group: ClassicGroup, committer: Committer, options: GroupOptions
) -> None:
    """Check that a client may commit offsets for a group.

    Raises:
        ApiError: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS.

    """
    if committer.generation_id < 0 and group.state is GroupState.EMPTY:
        return
    is_completing = group.state is GroupState.COMPLETING_REBALANCE
    if is_completing and options.commit_checks_state_first:
        raise _rebalancing(group)
    if not committer.is_named:
        raise ApiError(
            ErrorCode.UNKNOWN_MEMBER_ID, f"group {group.group_id!r} has members, who commit for it"
        )
    validate_generation(group, committer, options)
    if is_completing:
        raise _rebalancing(group)


def validate_transactional_offset_commit(
    group: ClassicGroup, committer: Committer, options: GroupOptions
) -> None:
    """Check that a client may commit offsets for a group in a transaction (KIP-447).

    A client that names no member may: before TxnOffsetCommit v3 the request had no such fields.

    Raises:
        ApiError: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION.

    """
    is_simple = committer.generation_id < 0 and group.state is GroupState.EMPTY
    if committer.is_named and not is_simple:
        validate_generation(group, committer, options)


def validate_member_and_generation(group: ClassicGroup, committer: Committer) -> None:
    """Check the identity of a client that commits offsets in a transaction, as 2.8 does.

    Raises:
        ApiError: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION.

    """
    instance_id = committer.group_instance_id
    current = None if instance_id is None else group.static_members.get(instance_id)
    if current not in (None, committer.member_id):
        raise ApiError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"instance {instance_id!r} of group {group.group_id!r} is now {current!r}",
        )
    if committer.member_id != UNKNOWN_MEMBER_ID and committer.member_id not in group.members:
        raise ApiError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"group {group.group_id!r} has no member {committer.member_id!r}",
        )
    if committer.generation_id >= 0 and committer.generation_id != group.generation_id:
        raise illegal_generation(group, committer.generation_id)


def validate_generation(group: ClassicGroup, committer: Committer, options: GroupOptions) -> None:
    """Check that a client is a member of the present generation.

    Raises:
        ApiError: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION.

    """
    group.validate_member(
        committer.member_id,
        committer.group_instance_id,
        instance_must_be_known=options.instance_must_be_known,
    )
    if committer.generation_id != group.generation_id:
        raise illegal_generation(group, committer.generation_id)


def illegal_generation(group: ClassicGroup, generation_id: int) -> ApiError:
    """Return the error for a generation that is not the group's present one."""
    return ApiError(
        ErrorCode.ILLEGAL_GENERATION,
        f"group {group.group_id!r} is in generation {group.generation_id}, not {generation_id}",
    )


def _rebalancing(group: ClassicGroup) -> ApiError:
    return ApiError(
        ErrorCode.REBALANCE_IN_PROGRESS,
        f"the assignments of group {group.group_id!r} are pending; commit after SyncGroup",
    )


def refuse_share_group(group: Group | None) -> None:
    """Refuse committed offsets of a share group, which has none.

    Raises:
        ApiError: GROUP_ID_NOT_FOUND.

    """
    if group is not None and group.kind is GroupKind.SHARE:
        why = f"Group {group.group_id} is not a consumer group."
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)


def validate_offset_delete(group: Group) -> None:
    """Check that offsets of a group may be deleted; for consumer groups, only some may be.

    Raises:
        ApiError: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND.

    """
    refuse_share_group(group)
    if isinstance(group, ClassicGroup) and not group.is_empty and not group.is_consumer_group:
        raise _non_empty(group)


def validate_delete(group: Group) -> None:
    """Check that a group may be deleted.

    Raises:
        ApiError: NON_EMPTY_GROUP.

    """
    if not group.is_empty:
        raise _non_empty(group)


def _non_empty(group: Group) -> ApiError:
    return ApiError(ErrorCode.NON_EMPTY_GROUP, f"group {group.group_id!r} has members")

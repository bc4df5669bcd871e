"""What ShareFetch and ShareAcknowledge share: members, acknowledgements, leaders (KIP-932)."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol, TypeVar

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.record_reader import RECORD_READER
from mockbroker.broker.partitions import leader_to_list
from mockbroker.broker.produce.dead_letter_append import DeadLetterAppender
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.replication.broker import Broker
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.share.acknowledgement import AcknowledgementBatch
from mockbroker.state.share.record_state import AcknowledgeType
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partitions import SharePartitionManager
from mockbroker.state.share.share_session import MemberKey, PartitionId
from mockbroker.state.topic.topic import Partition

MEMBER_ID_MAX: Final = 36
FIRST_WITH_RENEWALS: Final = 2
_NAMING_THE_LEADER: Final = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH}
)


class _Batch(Protocol):
    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


class _HasNodeId(Protocol):
    node_id: int


class _LeaderIdAndEpoch(Protocol):
    leader_id: int
    leader_epoch: int


BatchT = TypeVar("BatchT", bound=_Batch)
Batches = Mapping[PartitionId, Iterable[AcknowledgementBatch]]


class Acknowledged(NamedTuple):
    """The outcome of the acknowledgements for one partition."""

    error_code: ErrorCode = ErrorCode.NONE
    error_message: str | None = None


def share_partitions(call: Call) -> SharePartitionManager:
    """Return the share partitions of the broker."""
    service, broker_id = call.service, call.broker_id
    # A delayed call may have begun before the broker was isolated, or before it rejoined.
    cluster = service.cluster_of(broker_id)
    manager = service.share_managers.get(broker_id)
    if manager is None:
        writer = DeadLetterAppender(service)
        manager = SharePartitionManager(broker_id, cluster, RECORD_READER, writer)
        service.share_managers[broker_id] = manager
    manager.serve(cluster)
    return manager


def member_of(group_id: str | None, member_id: str | None) -> MemberKey:
    """Return the member that sends a request.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    if group_id is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Invalid group id in the request.")
    if not member_id or len(member_id) > MEMBER_ID_MAX:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Invalid member id in the request.")
    return MemberKey(group_id, member_id)


def as_batches(batches: Iterable[BatchT]) -> list[AcknowledgementBatch]:
    """Return the acknowledgements of a request as values of the state."""
    return [
        AcknowledgementBatch(batch.first_offset, batch.last_offset, batch.acknowledge_types)
        for batch in batches
    ]


def partition_of(call: Call, partition: PartitionId) -> Partition:
    """Return a partition by its topic's id.

    Raises:
        ApiError: UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION.

    """
    topic_id, index = partition
    topic = call.cluster.topics.by_id(topic_id)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, f"no topic has the id {topic_id}")
    found = topic.partition(index)
    if found is None:
        why = f"there is no partition {topic.name}-{index}"
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)
    return found


def readable_partition(call: Call, partition: PartitionId) -> Partition:
    """Return a partition of a topic that the client may read.

    Raises:
        ApiError: UNKNOWN_TOPIC_ID, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION.

    """
    topic = call.cluster.topics.by_id(partition[0])
    if topic is not None and not call.allows(AclOperation.READ, AclResource.TOPIC, topic.name):
        raise ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, f"may not read {topic.name}")
    return partition_of(call, partition)


def check_names(call: Call, partitions: Iterable[PartitionId]) -> None:
    """Refuse partitions of unknown topics, if an authorizer is to decide on them.

    Kafka fails because it asks the authorizer about a topic without a name.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR.

    """
    if call.service.cluster.authorizer is None:
        return
    for topic_id, _ in call.paced(partitions):
        if call.cluster.topics.by_id(topic_id) is None:
            why = f"the authorizer cannot decide on a topic without a name: {topic_id}"
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, why)


def acknowledge_all(
    call: Call, member: MemberKey, batches: Batches, *, is_renewal: bool
) -> dict[PartitionId, Acknowledged]:
    """Acknowledge records partition by partition; return the outcomes.

    Partitions without acknowledgements are part of the result only if others have some.
    """
    outcomes: dict[PartitionId, Acknowledged] = {}
    empty: dict[PartitionId, Acknowledged] = {}
    is_any_valid = False
    for partition, of_partition in call.paced(batches.items()):
        each = list(of_partition)
        try:
            _check(call, each, is_renewal=is_renewal)
            readable_partition(call, partition)
        except ApiError as refusal:
            outcomes[partition] = Acknowledged(refusal.code)
            continue
        if not each:
            empty[partition] = Acknowledged()
            continue
        is_any_valid = True
        outcomes[partition] = _acknowledge(call, member, partition, each)
    return {**outcomes, **empty} if is_any_valid else outcomes


def _acknowledge(
    call: Call, member: MemberKey, partition: PartitionId, batches: list[AcknowledgementBatch]
) -> Acknowledged:
    key = SharePartitionKey(member.group_id, *partition)
    try:
        share_partitions(call).acknowledge(key, member.member_id, batches, call.now_ms)
    except ApiError as refusal:
        call.service.refusals.note(
            "share_acknowledge_refused", refusal, partition=key.coordinator_key
        )
        return Acknowledged(refusal.code, refusal.why)
    return Acknowledged()


def _check(call: Call, batches: Iterable[AcknowledgementBatch], *, is_renewal: bool) -> None:
    has_renewals = call.api_version >= FIRST_WITH_RENEWALS
    highest = AcknowledgeType.RENEW if has_renewals else AcknowledgeType.REJECT
    previous = -1
    for first, last, types in batches:
        if (
            not previous <= first <= last
            or not types
            or (len(types) > 1 and last - first != len(types) - 1)
            or any(not 0 <= each <= highest for each in types)
            or (AcknowledgeType.RENEW in types and not is_renewal)
        ):
            raise ApiError(ErrorCode.INVALID_REQUEST, f"invalid batch {first}-{last}: {types}")
        previous = last


def name_leader(
    call: Call,
    partition: PartitionId,
    error_code: int,
    into: _LeaderIdAndEpoch,
    listed: Iterable[_HasNodeId],
) -> Broker | None:
    """Set the leader that an error names; return its broker unless it is listed already."""
    if error_code not in _NAMING_THE_LEADER:
        return None
    try:
        found = partition_of(call, partition)
    except ApiError:
        return None
    into.leader_id, into.leader_epoch = found.leader_id, found.leader_epoch
    return leader_to_list(call, found, listed)


def by_topic(partitions: Iterable[PartitionId]) -> dict[Uuid, list[PartitionId]]:
    """Group partitions by topic, in the order of the topics' first partitions."""
    topics: dict[Uuid, list[PartitionId]] = {}
    for partition in partitions:
        topics.setdefault(partition[0], []).append(partition)
    return topics

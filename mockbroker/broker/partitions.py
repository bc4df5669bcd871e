"""Lookup of the partition that a request names, as the broker of the call sees it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Protocol

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.topic import Partition, Topic

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog


class _HasNodeId(Protocol):
    node_id: int


class NamedTopic(Protocol):
    """Topic of a request, identified by name or, in the newest versions, by id (KIP-516)."""

    name: str
    topic_id: Uuid


NO_LEADER_EPOCH: Final = -1


def topic_by_id(call: Call, topic_id: Uuid) -> Topic:
    """Find a topic by its id (KIP-516).

    Raises:
        ApiError: UNKNOWN_TOPIC_ID.

    """
    topic = call.cluster.topics.by_id(topic_id)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, f"no topic has the id {topic_id}")
    return topic


def topic_of(call: Call, requested: NamedTopic, *, by_id: bool) -> Topic:
    """Find a topic by its name or its id in the request.

    Raises:
        ApiError: UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION.

    """
    if by_id:
        return topic_by_id(call, requested.topic_id)
    topic = call.cluster.topics.get(requested.name)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {requested.name}")
    return topic


def hosted_partition(
    call: Call, topic: str, index: int, current_leader_epoch: int = NO_LEADER_EPOCH
) -> Partition:
    """Find a partition with a replica on the broker.

    Raises:
        ApiError: UNKNOWN_TOPIC_OR_PARTITION; without a local replica, the release's error;
            FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH if the client's leader epoch differs.

    """
    partition = call.cluster.partition(topic, index)
    if partition is None:
        raise ApiError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {topic}-{index}"
        )
    if call.broker_id not in partition.replicas:
        raise _not_leader(call, partition, call.cluster.options.not_hosted_code)
    _check_leader_epoch(partition, current_leader_epoch)
    return partition


def readable_partition(
    call: Call, topic: str, index: int, current_leader_epoch: int = NO_LEADER_EPOCH
) -> Partition:
    """Find a partition that consumers may read from the broker, leader or not (KIP-392).

    Raises:
        ApiError: as `hosted_partition`, except for the release's error without a local replica.

    """
    partition = call.cluster.partition(topic, index)
    if partition is not None and call.broker_id not in partition.replicas:
        code = call.cluster.options.fetch.without_replica
        raise ApiError(code, f"broker {call.broker_id} does not hold {topic}-{index}")
    return hosted_partition(call, topic, index, current_leader_epoch)


def led_partition(
    call: Call, topic: str, index: int, current_leader_epoch: int = NO_LEADER_EPOCH
) -> Partition:
    """Find a partition that the broker leads; a replica checks the epoch before its leadership.

    Raises:
        ApiError: as `hosted_partition`; NOT_LEADER_OR_FOLLOWER if another broker leads.

    """
    partition = hosted_partition(call, topic, index, current_leader_epoch)
    if partition.leader_id != call.broker_id:
        raise _not_leader(call, partition)
    return partition


def local_log(call: Call, partition: Partition) -> "PartitionLog":
    """Return the log of the broker's own replica, which may lack records that its leader has."""
    log = call.cluster.log_of(partition, call.now_ms)
    if partition.replicas_apart:
        return partition.log_at(call.broker_id) or log
    return log


def _check_leader_epoch(partition: Partition, current_leader_epoch: int) -> None:
    """Compare the leader epoch of a request with the partition's (KIP-320).

    Raises:
        ApiError: FENCED_LEADER_EPOCH for an older one, UNKNOWN_LEADER_EPOCH for a newer one.

    """
    if current_leader_epoch in (NO_LEADER_EPOCH, partition.leader_epoch):
        return
    code = (
        ErrorCode.FENCED_LEADER_EPOCH
        if current_leader_epoch < partition.leader_epoch
        else ErrorCode.UNKNOWN_LEADER_EPOCH
    )
    raise ApiError(
        code,
        f"{partition.topic_partition} is at leader epoch {partition.leader_epoch}, "
        f"the request has {current_leader_epoch}",
    )


def leader_to_list(call: Call, partition: Partition, listed: Iterable[_HasNodeId]) -> Broker | None:
    """Return the leader's broker for a response's endpoints, unless listed (KIP-951)."""
    if any(endpoint.node_id == partition.leader_id for endpoint in listed):
        return None
    leader = call.cluster.brokers.get(partition.leader_id)
    return None if leader is None else leader.seen_from(call.listener)


def _not_leader(
    call: Call, partition: Partition, code: ErrorCode = ErrorCode.NOT_LEADER_OR_FOLLOWER
) -> ApiError:
    return ApiError(
        code,
        f"broker {call.broker_id} was asked for {partition.topic_partition}, "
        f"broker {partition.leader_id} leads it",
    )

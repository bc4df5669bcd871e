"""Clusters with a group coordinator, and shortcuts for commits."""

from typing import Final
from uuid import UUID

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.group.group_coordinator import GroupCoordinator
from mockbroker.state.group.group_log_record import NO_EXPIRY, OffsetAndMetadata, OffsetRecord
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition
from tests.state.cluster_building import new_cluster

GROUP: Final = "readers"
ORDERS: Final = TopicPartition("orders", 0)
BILLS: Final = TopicPartition("bills", 2)
ANYBODY: Final = Committer("", None, -1)
SUBSCRIPTION: Final = b"\0\1\0\0\0\1\0\6orders\0\0\0\0\0\0\0\0"
"""The metadata of a consumer that subscribes to `orders`."""
MINUTE_MS: Final = 60_000
VERIFICATION: Final = {"transaction.partition.verification.enable": "false"}
UNVERIFIED: Final = {
    "4.4": VERIFICATION,
    "3.9": VERIFICATION,
    "2.8": {},
    "2.4": {},
    "2.3": {},
    "1.1": {},
}
DAY_MS: Final = 24 * 60 * MINUTE_MS


def coordinating(
    release: str = "4.4",
    *,
    brokers: int = 1,
    configs: dict[str, str] | None = None,
    seed: int = 0,
) -> ClusterState:
    """Create a cluster whose broker 1 coordinates all groups, in one partition."""
    cluster = new_cluster(
        release,
        brokers=brokers,
        seed=seed,
        configs={"offsets.topic.num.partitions": "1", **UNVERIFIED[release], **(configs or {})},
    )
    cluster.create_topic(internal_topic(CONSUMER_OFFSETS, cluster.configs))
    cluster.run_pending(0)
    return cluster


def home_of(cluster: ClusterState) -> Partition:
    """Return the partition of all groups."""
    partition = cluster.partition(CONSUMER_OFFSETS, 0)
    assert partition is not None
    return partition


def coordinator_in(cluster: ClusterState) -> GroupCoordinator:
    """Return the coordinator of all groups."""
    return cluster.group_coordinator(home_of(cluster).leader_id)


def offset(
    value: int,
    partition: TopicPartition = ORDERS,
    *,
    now_ms: int = 0,
    group_id: str = GROUP,
    expires_ms: int = NO_EXPIRY,
) -> OffsetRecord:
    """Create the record of a commit."""
    kept = OffsetAndMetadata(value, 0, "", now_ms, expires_ms, UUID(int=7))
    return OffsetRecord(group_id, partition, kept)


def commit(coordinator: GroupCoordinator, *records: OffsetRecord, now_ms: int = 0) -> None:
    """Commit offsets without a member id."""
    coordinator.commit_offsets(records[0].group_id, ANYBODY, records, now_ms)


def committed(
    coordinator: GroupCoordinator, partition: TopicPartition = ORDERS, group_id: str = GROUP
) -> int | None:
    """Return the committed offset of a partition."""
    found = coordinator.offsets_of(group_id).committed(group_id, partition)
    return None if found is None else found.offset


def end_transaction(
    cluster: ClusterState, producer_id: int, *, is_commit: bool, now_ms: int = 0
) -> None:
    """Append a transaction marker to the partition of all groups."""
    marker = EndTxnMarker(producer_id, 0, 0, is_commit)
    cluster.append_end_txn_marker(home_of(cluster), marker, transaction_version=0, now_ms=now_ms)


def stable_group(
    coordinator: GroupCoordinator, now_ms: int = 0, subscription: bytes = SUBSCRIPTION
) -> ClassicGroup:
    """Create a logged group of one consumer in its first generation."""
    group = ClassicGroup(GROUP, now_ms=now_ms)
    coordinator.groups.add(group)
    member = GroupMember(
        "m-1",
        group_instance_id=None,
        client_id="client",
        client_host="/127.0.0.1",
        rebalance_timeout_ms=60_000,
        session_timeout_ms=10_000,
        protocol_type="consumer",
        supported_protocols=(("range", subscription),),
    )
    group.add(member)
    for state in (GroupState.PREPARING_REBALANCE,):
        group.transition_to(state, now_ms)
    group.next_generation(now_ms)
    coordinator.groups.store(group, {"m-1": b"assigned"}, now_ms)
    member.assignment = b"assigned"
    group.transition_to(GroupState.STABLE, now_ms)
    return group


def empty_group(coordinator: GroupCoordinator, now_ms: int = 0) -> ClassicGroup:
    """Create a group whose members have all left."""
    group = stable_group(coordinator, now_ms)
    group.transition_to(GroupState.PREPARING_REBALANCE, now_ms)
    group.remove("m-1")
    group.next_generation(now_ms)
    coordinator.groups.store(group, {}, now_ms)
    return group

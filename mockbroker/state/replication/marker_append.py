"""Append of transaction markers by a partition's leader, for the transaction coordinator."""

from typing import TYPE_CHECKING

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import NO_LEADER, Partition

if TYPE_CHECKING:
    from mockbroker.state.cluster_state import ClusterState


def append_end_txn_marker(
    cluster: "ClusterState",
    partition: Partition,
    marker: EndTxnMarker,
    *,
    transaction_version: int,
    now_ms: int,
) -> None:
    """Append a marker to a partition whose in-sync replicas all follow.

    Kafka's leader appends it, and answers when they have it or after a timeout; then the
    coordinator sends another. Here no marker is appended while replicas lag, because an appended
    marker that took effect must not be lost.

    Raises:
        ApiError: UNSUPPORTED_FOR_MESSAGE_FORMAT, LEADER_NOT_AVAILABLE, NOT_ENOUGH_REPLICAS,
            REQUEST_TIMED_OUT, and as `PartitionLog.append_end_txn_marker`.

    """
    _check(cluster, partition)
    log = cluster.log_of(partition, now_ms)
    header, data = cluster.records.build_end_txn_marker(
        marker,
        base_offset=log.log_end_offset,
        leader_epoch=partition.leader_epoch,
        timestamp_ms=now_ms,
        timestamp_type=partition.config.message_timestamp_type,
    )
    appended = log.append_end_txn_marker(
        marker,
        header,
        data,
        leader_epoch=partition.leader_epoch,
        now_ms=now_ms,
        transaction_version=transaction_version,
    )
    if cluster.observation.reporter is not None:
        cluster.observation.reporter.marker_appended(partition, marker, appended.base_offset)


def _check(cluster: "ClusterState", partition: Partition) -> None:
    if partition.leader_id == NO_LEADER:
        raise ApiError(ErrorCode.LEADER_NOT_AVAILABLE, f"{partition.topic_partition} has no leader")
    if not partition.config.has_newest_format:
        raise ApiError(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
            f"{partition.topic_partition} is stored in format {partition.config.record_version}",
        )
    if not has_enough_replicas(cluster.options, partition):
        raise ApiError(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            f"{len(partition.in_sync_replicas)} replicas of {partition.topic_partition} are in"
            f" sync, min.insync.replicas={partition.config.min_insync_replicas}",
        )
    if partition.log is not None and not partition.log.follows_log_end:
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, f"replicas of {partition.topic_partition} lag")

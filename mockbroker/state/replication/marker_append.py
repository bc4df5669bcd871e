"""Append of transaction markers by a partition's leader, for the transaction coordinator."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.producer.end_txn_marker import EndTxnMarker, SentMarker
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import NO_LEADER, Partition

if TYPE_CHECKING:
    from mockbroker.state.cluster_state import ClusterState
    from mockbroker.state.log.partition_log import PartitionLog


REQUEST_TIMEOUT_MS: Final = 30_000
"""The time after which a coordinator gives up a request, and sends the marker anew."""


def append_end_txn_marker(
    cluster: "ClusterState",
    partition: Partition,
    marker: EndTxnMarker,
    *,
    transaction_version: int,
    now_ms: int,
) -> None:
    """Append a marker to a partition, and check that its in-sync replicas have it.

    While one lags, the request times out, and the coordinator sends the marker again: that asks for
    the appended one, until its leader has been replaced or its own request has timed out.

    Raises:
        ApiError: UNSUPPORTED_FOR_MESSAGE_FORMAT, LEADER_NOT_AVAILABLE, NOT_ENOUGH_REPLICAS,
            REQUEST_TIMED_OUT, and as `PartitionLog.append_end_txn_marker`.

    """
    _check(cluster, partition)
    log = cluster.log_of(partition, now_ms)
    sent = partition.unreplicated_markers.get(marker)
    if (
        sent is not None
        and sent.elected_in_epoch == partition.elected_in_epoch
        and now_ms - sent.appended_ms < REQUEST_TIMEOUT_MS
    ):
        _check_replicated(partition, log, marker, sent)
        return
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
    sent = SentMarker(appended.base_offset, partition.elected_in_epoch, now_ms)
    _check_replicated(partition, log, marker, sent)


def _check_replicated(
    partition: Partition, log: "PartitionLog", marker: EndTxnMarker, sent: SentMarker
) -> None:
    waiting = partition.unreplicated_markers
    if sent.offset >= log.high_watermark:
        partition.unreplicated_markers = {**waiting, marker: sent}
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, f"replicas of {partition.topic_partition} lag")
    if marker in waiting:
        others = {each: other for each, other in waiting.items() if each != marker}
        partition.unreplicated_markers = others


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

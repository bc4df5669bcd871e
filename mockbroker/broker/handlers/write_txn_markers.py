"""WriteTxnMarkers: append the markers that end transactions (KIP-98, KIP-1228).

Coordinators send it, and operators to end a hanging transaction (KIP-664); any client may.
"""

from collections.abc import Iterable

from mockbroker.broker.call import Call
from mockbroker.broker.partitions import led_partition
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.topic.topic import Partition


def write_txn_markers(request: WriteTxnMarkersRequest, call: Call) -> WriteTxnMarkersResponse:
    """Append each marker to its partitions; return results by producer and partition."""
    _check(call.paced(request.markers))
    codes: dict[int, dict[TopicPartition, ErrorCode]] = {}
    for marker in call.paced(request.markers):
        of_producer = codes.setdefault(marker.producer_id, {})
        for partition in call.paced(_partitions_of(marker)):
            of_producer[partition] = _write(marker, partition, call)
    return WriteTxnMarkersResponse(
        markers=[
            _result(producer_id, call.paced(by.items()))
            for producer_id, by in call.paced(codes.items())
            if by
        ]
    )


def _partitions_of(marker: WritableTxnMarker) -> Iterable[TopicPartition]:
    """Return the partitions of a marker, without repetitions."""
    named = (
        TopicPartition(topic.name, index)
        for topic in marker.topics
        for index in topic.partition_indexes
    )
    return dict.fromkeys(named)


def _check(markers: Iterable[WritableTxnMarker]) -> None:
    for marker in markers:
        if marker.producer_id < 0 or marker.producer_epoch < 0:
            raise ApiError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"invalid producer id {marker.producer_id} or epoch {marker.producer_epoch}",
            )


def _write(written: WritableTxnMarker, named: TopicPartition, call: Call) -> ErrorCode:
    marker = EndTxnMarker(
        written.producer_id,
        written.producer_epoch,
        written.coordinator_epoch,
        written.transaction_result,
    )
    try:
        partition = _led_partition(call, named)
        call.cluster.append_end_txn_marker(
            partition,
            marker,
            transaction_version=written.transaction_version,
            now_ms=call.now_ms,
        )
    except ApiError as refusal:
        call.service.refusals.note("write_txn_markers_refused", refusal, partition=str(named))
        return refusal.code
    return ErrorCode.NONE


def _led_partition(call: Call, named: TopicPartition) -> Partition:
    """Find a partition that this broker leads; one without a local replica is unknown."""
    partition = call.cluster.partition(*named)
    if partition is not None and call.broker_id not in partition.replicas:
        raise ApiError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"broker {call.broker_id} does not hold {named}"
        )
    return led_partition(call, *named)


def _result(
    producer_id: int, codes: Iterable[tuple[TopicPartition, ErrorCode]]
) -> WritableTxnMarkerResult:
    topics: dict[str, WritableTxnMarkerTopicResult] = {}
    for (name, index), code in codes:
        topic = topics.setdefault(name, WritableTxnMarkerTopicResult(name=name))
        topic.partitions.append(
            WritableTxnMarkerPartitionResult(partition_index=index, error_code=code)
        )
    return WritableTxnMarkerResult(producer_id=producer_id, topics=list(topics.values()))

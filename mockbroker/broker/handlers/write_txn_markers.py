"""WriteTxnMarkers: append the markers that end transactions (KIP-98, KIP-1228).

Coordinators send it, and operators to end a hanging transaction (KIP-664); any client may.
"""

from collections.abc import Iterable
from typing import TypeAlias

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
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
from mockbroker.state.replication.marker_append import REQUEST_TIMEOUT_MS
from mockbroker.state.topic.topic import Partition

_Codes: TypeAlias = dict[int, dict[TopicPartition, ErrorCode]]
"""The error codes by producer id and partition."""


def write_txn_markers(
    request: WriteTxnMarkersRequest, call: Call
) -> WriteTxnMarkersResponse | DelayedResponse:
    """Append each marker to its partitions; return results by producer and partition.

    The answer waits until the in-sync replicas have the markers.
    """
    _check(call.paced(request.markers))
    codes: _Codes = {}
    waiting: list[tuple[WritableTxnMarker, TopicPartition]] = []
    for marker in call.paced(request.markers):
        of_producer = codes.setdefault(marker.producer_id, {})
        for partition in call.paced(_partitions_of(marker)):
            of_producer[partition] = _write(marker, partition, call)
            if of_producer[partition] is ErrorCode.REQUEST_TIMED_OUT:
                waiting.append((marker, partition))
    if not waiting:
        return _response(codes, call)

    def attempt(is_last: bool) -> WriteTxnMarkersResponse | None:
        call.now_ms = call.service.read_clock()
        for marker, partition in waiting:
            codes[marker.producer_id][partition] = _write(marker, partition, call)
        written = (codes[marker.producer_id][partition] for marker, partition in waiting)
        if is_last or ErrorCode.REQUEST_TIMED_OUT not in written:
            return _response(codes, call)
        return None

    found = (call.cluster.partition(*partition) for _, partition in waiting)
    watched = {partition for partition in found if partition is not None}
    return DelayedResponse(watched, REQUEST_TIMEOUT_MS, attempt)


def _response(codes: _Codes, call: Call) -> WriteTxnMarkersResponse:
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

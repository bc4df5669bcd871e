"""Fetch: read record batches, now or when enough arrived (KIP-74, KIP-227, KIP-320, KIP-516)."""

from collections.abc import Callable
from typing import Final

from mockbroker.broker.authorization.topic_rights import is_hidden
from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.fetch_read import FetchLimits, PartitionRead, read_partitions
from mockbroker.broker.handlers.fetch_sessions import fetch_manager
from mockbroker.broker.handlers.isolation import READ_COMMITTED, check_isolation_level
from mockbroker.broker.partitions import NO_LEADER_EPOCH, leader_to_list
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from mockbroker.protocol.types import Uuid
from mockbroker.state.fetch.fetch_manager import FetchContext
from mockbroker.state.fetch.fetch_session import FetchedPartition, FetchPartition, partition_key

NO_OFFSET: Final = -1
LEAST_LEADER_EPOCH: Final = -(1 << 31)
FETCH_MAX_BYTES: Final = "fetch.max.bytes"
FIRST_WITH_TOPIC_IDS: Final = 13
FIRST_WITH_SESSIONS: Final = 7
FIRST_WITH_LEADER: Final = 16
"""First version in which an error names the current leader to a consumer (KIP-951)."""

_RANK_OF_THE_UNKNOWN: Final = {
    ErrorCode.UNKNOWN_TOPIC_ID: 1,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: 2,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: 2,
}
"""Errors that Kafka returns after all other partitions, with their order."""
_ERRORS_THAT_NAME_THE_LEADER: Final = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH}
)


def fetch(request: FetchRequest, call: Call) -> FetchResponse | DelayedResponse:
    """Respond at `min_bytes`, at an error, or after `max_wait_ms`."""
    check_isolation_level(request.isolation_level, ApiKey.FETCH, call)
    try:
        context = _context(request, call)
    except ApiError as refusal:
        call.service.refusals.note("fetch_refused", refusal, client_id=call.client_id)
        return FetchResponse(error_code=refusal.code)
    limits = _limits(request, call)
    wishes = context.partitions()
    reads = read_partitions(call, wishes, limits)
    if request.max_wait_ms <= 0 or _is_enough(reads, limits.min_bytes):
        return _response(call, context, reads)
    return _park(request, call, context, limits)


def _park(
    request: FetchRequest, call: Call, context: FetchContext, limits: FetchLimits
) -> DelayedResponse:
    wishes = context.partitions()
    attempt = _attempt(request, call, context, limits)
    watched = [
        partition
        for wish in wishes
        if wish.topic is not None
        and (partition := call.cluster.partition(wish.topic, wish.partition)) is not None
    ]
    return DelayedResponse(watched, request.max_wait_ms, attempt)


def _attempt(
    request: FetchRequest, call: Call, context: FetchContext, limits: FetchLimits
) -> Callable[[bool], FetchResponse | None]:
    def attempt(is_last: bool) -> FetchResponse | None:
        call.now_ms = call.service.read_clock()
        reads = read_partitions(call, context.partitions(), limits)
        if is_last or _is_enough(reads, limits.min_bytes):
            return _response(call, context, reads)
        return None

    return attempt


def _is_enough(reads: list[PartitionRead], min_bytes: int) -> bool:
    size_bytes = 0
    for read in reads:
        if read.error_code != ErrorCode.NONE or read.diverging is not None:
            return True
        if read.is_of_older_segment:
            return True
        size_bytes += read.size_bytes
    return size_bytes >= min_bytes or not reads


def _limits(request: FetchRequest, call: Call) -> FetchLimits:
    configs = call.cluster.configs
    max_bytes = request.max_bytes
    if FETCH_MAX_BYTES in configs.broker_definitions:  # since KIP-541
        max_bytes = min(max_bytes, configs.broker_integer(FETCH_MAX_BYTES, call.broker_id))
    return FetchLimits(
        max_bytes=max_bytes,
        min_bytes=min(request.min_bytes, max_bytes),
        is_read_committed=request.isolation_level == READ_COMMITTED,
    )


def _context(request: FetchRequest, call: Call) -> FetchContext:
    by_id = call.api_version >= FIRST_WITH_TOPIC_IDS
    may_be_negative = call.cluster.options.fetch.leader_epoch_may_be_negative
    least_epoch = LEAST_LEADER_EPOCH if may_be_negative else NO_LEADER_EPOCH
    wishes = [
        FetchPartition(
            _name(call, topic.topic_id) if by_id else topic.topic,
            topic.topic_id,
            p.partition,
            fetch_offset=p.fetch_offset,
            max_bytes=p.partition_max_bytes,
            current_leader_epoch=max(p.current_leader_epoch, least_epoch),
            last_fetched_epoch=p.last_fetched_epoch,
        )
        for topic in call.paced(request.topics)
        for p in call.paced(topic.partitions)
    ]
    forgotten = [
        partition_key(topic.topic_id, topic.topic, partition)
        for topic in request.forgotten_topics_data
        for partition in topic.partitions
    ]
    has_session = call.api_version >= FIRST_WITH_SESSIONS
    return fetch_manager(call.service, call.broker_id).new_context(
        request.session_id if has_session else 0,
        request.session_epoch if has_session else -1,
        wishes,
        forgotten,
        uses_topic_ids=by_id,
        now_ms=call.now_ms,
    )


def _name(call: Call, topic_id: Uuid) -> str | None:
    topic = call.cluster.topics.by_id(topic_id)
    return None if topic is None else topic.name


def _response(call: Call, context: FetchContext, reads: list[PartitionRead]) -> FetchResponse:
    if any(_is_unknown(read) for read in reads):
        reads = sorted(reads, key=lambda read: _rank(call, read))
    selection = context.complete([_as_fetched(read) for read in reads])
    response = FetchResponse(session_id=selection.session_id, error_code=selection.error_code)
    topic: FetchableTopicResponse | None = None
    for index in call.paced(selection.indexes):
        read = reads[index]
        wish = read.wish
        # The order of partitions is kept, even if a topic is then listed more than once.
        if topic is None or (topic.topic_id, topic.topic) != (wish.topic_id, wish.topic or ""):
            topic = FetchableTopicResponse(topic=wish.topic or "", topic_id=wish.topic_id)
            response.responses.append(topic)
        topic.partitions.append(_partition_data(call, read))
        if call.api_version >= FIRST_WITH_LEADER:
            _name_leader(call, response, topic.partitions[-1], wish)
    return response


def _is_unknown(read: PartitionRead) -> bool:
    return read.error_code in _RANK_OF_THE_UNKNOWN


def _rank(call: Call, read: PartitionRead) -> int:
    topic = read.wish.topic
    is_seen = topic is not None and topic in call.cluster.topics and not is_hidden(call, topic)
    if is_seen and not call.cluster.options.fetch.unknown_partitions_come_last:
        return 0
    return _RANK_OF_THE_UNKNOWN.get(read.error_code, 0)


def _as_fetched(read: PartitionRead) -> FetchedPartition:
    return FetchedPartition(
        read.wish.key,
        high_watermark=read.high_watermark,
        log_start_offset=read.log_start_offset,
        size_bytes=read.size_bytes,
        error_code=read.error_code,
        must_be_sent=read.diverging is not None,
    )


def _partition_data(call: Call, read: PartitionRead) -> PartitionData:
    options = call.cluster.options
    has_list = read.is_read_committed or (
        _is_unknown(read) and options.fetch.refusals_have_aborted_list
    )
    has_stable_offset = read.is_read_committed or options.fetch.always_tells_last_stable_offset
    data = PartitionData(
        partition_index=read.wish.partition,
        error_code=read.error_code,
        high_watermark=read.high_watermark,
        last_stable_offset=read.last_stable_offset if has_stable_offset else NO_OFFSET,
        log_start_offset=read.log_start_offset,
        aborted_transactions=_aborted(read) if has_list else None,
    )
    try:
        data.records = read.records(call.api_version, options)
    except ApiError as refusal:
        if options.fetch.conversion_refuses_headers:
            raise  # the whole request fails
        return PartitionData(
            partition_index=read.wish.partition,
            error_code=refusal.code,
            high_watermark=NO_OFFSET,
            aborted_transactions=None,
            records=b"" if options.fetch.failed_conversion_has_records else None,
        )
    if read.diverging is not None:
        data.diverging_epoch = EpochEndOffset(
            epoch=read.diverging.leader_epoch, end_offset=read.diverging.end_offset
        )
    return data


def _aborted(read: PartitionRead) -> list[AbortedTransaction] | None:
    if read.aborted is None:
        return None
    return [
        AbortedTransaction(producer_id=each.producer_id, first_offset=each.first_offset)
        for each in read.aborted
    ]


def _name_leader(
    call: Call, response: FetchResponse, data: PartitionData, wish: FetchPartition
) -> None:
    if data.error_code not in _ERRORS_THAT_NAME_THE_LEADER or wish.topic is None:
        return
    partition = call.cluster.partition(wish.topic, wish.partition)
    if partition is None:
        return
    data.current_leader = LeaderIdAndEpoch(
        leader_id=partition.leader_id, leader_epoch=partition.leader_epoch
    )
    leader = leader_to_list(call, partition, response.node_endpoints)
    if leader is not None:
        response.node_endpoints.append(
            NodeEndpoint(
                node_id=leader.node_id, host=leader.host, port=leader.port, rack=leader.rack
            )
        )

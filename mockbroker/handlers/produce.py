"""Produce: append record batches, each partition by itself (KIP-98, KIP-467, KIP-516, KIP-951)."""

from typing import Final

from mockbroker.append import append_message_set, append_records
from mockbroker.batch_rules import release_rules
from mockbroker.call import Call
from mockbroker.dispatch import handles
from mockbroker.partitions import has_enough_replicas, leader_to_list, led_partition, topic_by_id
from mockbroker.pipeline_outcomes import CloseConnection
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from mockbroker.protocol.records.batch_shape import shape_refusal
from mockbroker.protocol.records.refusal import RecordsRefused, Scope, null_records_refused
from mockbroker.protocol.types import Buffer
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.topic.topic import Partition, Topic

NO_OFFSET: Final = -1
FIRST_WITH_TOPIC_IDS: Final = 13
FIRST_WITH_LEADER: Final = 10
"""The version from which a producer that asked the wrong broker is told the right one (KIP-951)."""

FIRST_WITH_BATCHES: Final = 3
FIRST_WITH_ZSTD: Final = 7
_ERRORS_OF_THE_LOG: Final = frozenset(
    {
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    }
)
"""What the log says of a producer, or its leader: the answer has its start offset."""

_ATTRIBUTES_AT: Final = 22
"""The low byte of a batch's attributes."""
_TRANSACTIONAL: Final = 0x10

ACKS_ALL: Final = -1
ACKS: Final = (ACKS_ALL, 0, 1)


@handles(ApiKey.PRODUCE, versions=range(14))
def produce(request: ProduceRequest, call: Call) -> ProduceResponse | None:
    """Append what can be appended, and say of every partition what became of it.

    With acks=0 there is no answer; an error then ends the connection, as that is all a client
    can notice. Kafka 4 advertises v0-2 for old librdkafka's sake, and hangs up (KAFKA-18659).
    """
    is_legacy = call.api_version < FIRST_WITH_BATCHES
    if is_legacy and call.cluster.options.legacy_produce_closes_connection:
        raise CloseConnection("unsupported_version", api="PRODUCE", version=call.api_version)
    response = ProduceResponse()
    refusal = None if is_legacy else _refusal_of_all(request, call)
    for topic in request.topic_data:
        response.responses.append(_produce_to_topic(request, call, topic, response, refusal))
    if request.acks != 0:
        return response
    errors = {ErrorCode(p.error_code) for t in response.responses for p in t.partition_responses}
    errors.discard(ErrorCode.NONE)
    if errors:
        names = ", ".join(sorted(code.name for code in errors))
        raise CloseConnection("produce_failed_without_acks", errors=names)
    return None


def _refusal_of_all(request: ProduceRequest, call: Call) -> RecordsRefused | None:
    """Find what is wrong with a whole request, of which then nothing is appended.

    Records that are no batch at all, and transactional ones without a transactional id.

    Raises:
        CloseConnection: in the releases that hang up on it.

    """
    rules = release_rules(call.cluster.options)
    for topic in request.topic_data:
        for partition in topic.partition_data:
            records = partition.records
            if records is None:
                refusal: RecordsRefused | None = null_records_refused(rules.malformed_scope)
            else:
                refusal = shape_refusal(records, 0, len(records), rules)
            if refusal is not None and refusal.scope is Scope.CONNECTION:
                raise CloseConnection("malformed_records", why=refusal.why)
            if refusal is not None and refusal.scope is Scope.REQUEST:
                return refusal
            if refusal is None and request.transactional_id is None and _is_transactional(records):
                return RecordsRefused(
                    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                    "a transactional batch in a request without transactional id",
                    knows_log_start_offset=False,
                )
    return None


def _is_transactional(records: Buffer | None) -> bool:
    return (
        records is not None
        and len(records) > _ATTRIBUTES_AT
        and bool(records[_ATTRIBUTES_AT] & _TRANSACTIONAL)
    )


def _produce_to_topic(
    request: ProduceRequest,
    call: Call,
    data: TopicProduceData,
    response: ProduceResponse,
    refusal: RecordsRefused | None,
) -> TopicProduceResponse:
    answer = TopicProduceResponse(name=data.name, topic_id=data.topic_id)
    for partition in data.partition_data:
        answered = _produce(request, call, data, partition, refusal)
        answer.partition_responses.append(answered)
        if answered.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            _name_leader(call, data, answered, response)
    return answer


def _produce(
    request: ProduceRequest,
    call: Call,
    topic_data: TopicProduceData,
    data: PartitionProduceData,
    refusal_of_all: RecordsRefused | None,
) -> PartitionProduceResponse:
    topic: Topic | None = None
    try:
        if refusal_of_all is not None:
            raise refusal_of_all
        topic = _topic(call, topic_data)
        if request.acks not in ACKS:
            raise ApiError(ErrorCode.INVALID_REQUIRED_ACKS, f"acks={request.acks}")
        partition = led_partition(call, topic.name, data.index)
        if request.acks == ACKS_ALL and not has_enough_replicas(call.cluster.options, partition):
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{len(partition.in_sync_replicas)} replicas are in sync, "
                f"min.insync.replicas={partition.config.min_insync_replicas}",
            )
        if request.transactional_id is not None and _is_transactional(data.records):
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"transactional id {request.transactional_id!r}: transactions are not served",
            )
        info = _append(request, call, partition, data)
    except ApiError as refusal:
        if isinstance(refusal, RecordsRefused) and refusal.scope is Scope.CONNECTION:
            raise CloseConnection("malformed_records", why=refusal.why) from None
        name = topic_data.name if topic is None else topic.name
        call.service.refusals.note("produce_refused", refusal, topic=name, partition=data.index)
        return _refused(call, topic, data, refusal)
    return PartitionProduceResponse(
        index=data.index,
        base_offset=info.base_offset,
        log_append_time_ms=info.log_append_time_ms,
        log_start_offset=info.log_start_offset,
    )


def _topic(call: Call, data: TopicProduceData) -> Topic:
    if call.api_version >= FIRST_WITH_TOPIC_IDS:
        topic = topic_by_id(call, data.topic_id)
    else:
        found = call.cluster.topics.get(data.name)
        if found is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {data.name}")
        topic = found
    if topic.is_internal:
        raise ApiError(
            ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic.name}"
        )
    return topic


def _append(
    request: ProduceRequest, call: Call, partition: Partition, data: PartitionProduceData
) -> LogAppendInfo:
    records = data.records
    if records is None:
        raise null_records_refused(release_rules(call.cluster.options).malformed_scope)
    if call.api_version < FIRST_WITH_BATCHES:
        return append_message_set(call.service, partition, records)
    return append_records(
        call.service, partition, records, allows_zstd=call.api_version >= FIRST_WITH_ZSTD
    )


def _refused(
    call: Call, topic: Topic | None, data: PartitionProduceData, refusal: ApiError
) -> PartitionProduceResponse:
    answer = PartitionProduceResponse(
        index=data.index, error_code=refusal.code, base_offset=NO_OFFSET
    )
    if isinstance(refusal, RecordsRefused):
        answer.error_message = refusal.error_message
        answer.record_errors = [
            BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=message)
            for index, message in refusal.record_errors
        ]
        if not refusal.knows_log_start_offset:
            return answer
    partition = None if topic is None else topic.partition(data.index)
    if partition is not None and _reaches_the_log(refusal):
        answer.log_start_offset = call.cluster.log_of(partition, call.now_ms).log_start_offset
    return answer


def _reaches_the_log(refusal: ApiError) -> bool:
    """Tell whether the log was asked, so that the answer has its start (kafka-clients read it)."""
    return isinstance(refusal, RecordsRefused) or refusal.code in _ERRORS_OF_THE_LOG


def _name_leader(
    call: Call,
    topic_data: TopicProduceData,
    answer: PartitionProduceResponse,
    response: ProduceResponse,
) -> None:
    if call.api_version < FIRST_WITH_LEADER:
        return
    topic = _topic(call, topic_data)
    partition = topic.partitions[answer.index]
    answer.current_leader = LeaderIdAndEpoch(
        leader_id=partition.leader_id, leader_epoch=partition.leader_epoch
    )
    leader = leader_to_list(call, partition, response.node_endpoints)
    if leader is not None:
        response.node_endpoints.append(NodeEndpoint(**leader._asdict()))

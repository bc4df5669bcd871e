"""Produce: append record batches to partitions (KIP-98, KIP-467, KIP-516, KIP-951)."""

from typing import Final, NamedTuple

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import MILLISECONDS, DelayedResponse
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.broker.partitions import leader_to_list, led_partition, topic_of
from mockbroker.broker.produce.acks_all import Unreplicated, is_replicated, when_replicated
from mockbroker.broker.produce.append import append_message_set, append_records
from mockbroker.broker.produce.batch_rules import FIRST_WITH_ZSTD, release_rules
from mockbroker.broker.produce.transaction_verification import (
    NOTHING_TO_VERIFY,
    TransactionSupportedOperation,
    Verified,
)
from mockbroker.broker.produce.transactional_produce import (
    RETRY_BACKOFF_MAX_MS,
    TransactionalBatches,
    operation_of,
    transactional_batches,
    unverified,
    verify_batches,
    watched_partitions,
)
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
from mockbroker.protocol.records.batch import is_transactional
from mockbroker.protocol.records.validation.batch_rules import ReleaseRules
from mockbroker.protocol.records.validation.batch_shape import shape_refusal
from mockbroker.protocol.records.validation.message_set_validator import message_set_refusal
from mockbroker.protocol.records.validation.refusal import (
    RecordsRefused,
    Scope,
    null_records_refused,
)
from mockbroker.protocol.types import Buffer, TopicPartition
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import Partition, Topic

NO_OFFSET: Final = -1
FIRST_WITH_TOPIC_IDS: Final = 13
FIRST_WITH_LEADER: Final = 10
"""First version in which an error names the current leader to a producer (KIP-951)."""

FIRST_WITH_BATCHES: Final = 3
_FOUND_BEFORE_ACKS: Final = (
    ErrorCode.INVALID_RECORD,
    ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
)
_ERRORS_OF_THE_LOG: Final = frozenset(
    {
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.UNKNOWN_PRODUCER_ID,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    }
)
"""Errors of the log or its leader: the response has the log start offset."""

_INVALID_RECORD: Final = ErrorCode.INVALID_RECORD
ACKS_ALL: Final = -1
ACKS: Final = (ACKS_ALL, 0, 1)


def produce(request: ProduceRequest, call: Call) -> Answer:
    """Append the records of each partition, and return a result for each.

    With acks=0 there is no response; an error then closes the connection, as clients notice nothing
    else. Kafka 4 advertises v0-2 for old librdkafka, but closes the connection (KAFKA-18659).
    """
    if call.api_version < FIRST_WITH_BATCHES:
        if call.cluster.options.produce.legacy_versions_close_connection:
            raise CloseConnection("unsupported_version", api="PRODUCE", version=call.api_version)
        _hang_up_on_unreadable(request, call)
        return _replicated(request, call, _Judged(None, NOTHING_TO_VERIFY, []))
    refusal = _refusal_of_all(request, call)
    if refusal is not None:
        return _append_all(request, call, _Judged(refusal, NOTHING_TO_VERIFY, []))
    found = transactional_batches(request, call)
    if found is None:
        return _replicated(request, call, _Judged(None, NOTHING_TO_VERIFY, []))
    return _verified(request, call, found, RETRY_BACKOFF_MAX_MS)


class _Judged(NamedTuple):
    """Checks done before any append, and the appends that wait for followers."""

    refusal_of_all: RecordsRefused | None
    checked: Verified
    unreplicated: list[Unreplicated]


def _verified(
    request: ProduceRequest, call: Call, found: TransactionalBatches, wait_ms: int
) -> Answer:
    """Append what the coordinator verifies; wait up to `wait_ms` if it is busy."""
    loop = call.service.loop
    until_s = loop.time() + wait_ms / MILLISECONDS
    adds = operation_of(call.api_version) is TransactionSupportedOperation.ADD_PARTITION

    def proceed(checked: Verified) -> Answer:
        left_ms = int((until_s - loop.time()) * MILLISECONDS)
        if adds and checked.is_busy and request.acks != 0 and left_ms > 0:
            return _park(request, call, found, left_ms)
        return _replicated(request, call, _Judged(None, checked, []))

    return verify_batches(found, call, proceed)


def _park(
    request: ProduceRequest, call: Call, found: TransactionalBatches, wait_ms: int
) -> DelayedResponse:
    """Delay the append until the previous transaction has ended (KIP-890)."""
    loop = call.service.loop
    until_s = loop.time() + wait_ms / MILLISECONDS

    def attempt(is_last: bool) -> Answer:
        call.now_ms = call.service.read_clock()
        left_ms = 0 if is_last else int((until_s - loop.time()) * MILLISECONDS)
        return _verified(request, call, found, left_ms)

    return DelayedResponse(watched_partitions(found, call), wait_ms, attempt)


def _replicated(
    request: ProduceRequest, call: Call, judged: _Judged
) -> ProduceResponse | DelayedResponse | None:
    """Append; with acks=-1, respond when all in-sync replicas have the records."""
    response = _append_all(request, call, judged)
    if response is None or not judged.unreplicated:
        return response

    def finish() -> ProduceResponse:
        for each in judged.unreplicated:
            if each.answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                _name_leader(call, each.topic_data, each.answer, response)
        return response

    return when_replicated(judged.unreplicated, call, request.timeout_ms, finish)


def _append_all(request: ProduceRequest, call: Call, judged: _Judged) -> ProduceResponse | None:
    response = ProduceResponse()
    for topic in call.paced(request.topic_data):
        response.responses.append(_produce_to_topic(request, call, topic, response, judged))
    if request.acks != 0:
        return response
    errors = {ErrorCode(p.error_code) for t in response.responses for p in t.partition_responses}
    errors.discard(ErrorCode.NONE)
    if errors:
        names = ", ".join(sorted(code.name for code in errors))
        raise CloseConnection("produce_failed_without_acks", errors=names)
    return None


def _refusal_of_all(request: ProduceRequest, call: Call) -> RecordsRefused | None:
    """Return the error that applies to the whole request, of which nothing is then appended.

    Such errors are records that hold no batch, and transactional records without a transactional
    id.

    Raises:
        CloseConnection: for such records, in the releases that close the connection.

    """
    options = call.cluster.options
    rules = release_rules(options)
    needs_id = request.transactional_id is None and options.produce.transactional_needs_id
    found: RecordsRefused | None = None
    for topic in call.paced(request.topic_data):
        for partition in call.paced(topic.partition_data):
            records = partition.records
            if records is None:
                refusal: RecordsRefused | None = null_records_refused(
                    rules.null_scope, rules.null_code
                )
            else:
                refusal = _shape_refusal(records, rules, call)
            if refusal is not None and refusal.scope is Scope.CONNECTION:
                raise CloseConnection("malformed_records", why=refusal.why)
            if found is not None:
                continue
            if refusal is not None and refusal.scope is Scope.REQUEST:
                found = refusal
            elif refusal is None and needs_id and is_transactional(records):
                found = RecordsRefused(
                    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                    "a transactional batch in a request without transactional id",
                    knows_log_start_offset=False,
                )
    return found


def _shape_refusal(records: Buffer, rules: ReleaseRules, call: Call) -> RecordsRefused | None:
    allows_zstd = call.api_version >= FIRST_WITH_ZSTD
    return shape_refusal(records, 0, len(records), rules, allows_zstd=allows_zstd)


def _hang_up_on_unreadable(request: ProduceRequest, call: Call) -> None:
    """Check the messages of the whole request, in the releases that check before any append.

    Raises:
        CloseConnection: some bytes are no messages.

    """
    rules = release_rules(call.cluster.options)
    for topic in call.paced(request.topic_data):
        for partition in call.paced(topic.partition_data):
            records = b"" if partition.records is None else partition.records
            refusal = message_set_refusal(records, 0, len(records), rules)
            if refusal is not None and refusal.scope is Scope.CONNECTION:
                raise CloseConnection("malformed_records", why=refusal.why)


def _produce_to_topic(
    request: ProduceRequest,
    call: Call,
    data: TopicProduceData,
    response: ProduceResponse,
    judged: _Judged,
) -> TopicProduceResponse:
    answer = TopicProduceResponse(name=data.name, topic_id=data.topic_id)
    for partition in call.paced(data.partition_data):
        answered = _produce(request, call, data, partition, judged)
        answer.partition_responses.append(answered)
        if answered.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            _name_leader(call, data, answered, response)
    return answer


def _produce(
    request: ProduceRequest,
    call: Call,
    topic_data: TopicProduceData,
    data: PartitionProduceData,
    judged: _Judged,
) -> PartitionProduceResponse:
    topic: Topic | None = None
    try:
        if judged.refusal_of_all is not None:
            raise judged.refusal_of_all
        topic = _topic(call, topic_data)
        name = TopicPartition(topic.name, data.index)
        if call.cluster.options.produce.looks_for_partition_first:
            _check_partition(topic, data.index)
        if name in judged.checked.errors:
            code, produce = judged.checked.errors[name], call.cluster.options.produce
            raise unverified(code, call.api_version, produce)
        if request.acks not in ACKS:
            raise _acks_refused(request.acks, call, data)
        partition = led_partition(call, topic.name, data.index)
        if request.acks == ACKS_ALL and not has_enough_replicas(call.cluster.options, partition):
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{len(partition.in_sync_replicas)} replicas are in sync, "
                f"min.insync.replicas={partition.config.min_insync_replicas}",
            )
        info = _append(call, partition, data, judged.checked.guards.get(name))
    except ApiError as refusal:
        if isinstance(refusal, RecordsRefused) and refusal.scope is Scope.CONNECTION:
            raise CloseConnection("malformed_records", why=refusal.why) from None
        topic_name = topic_data.name if topic is None else topic.name
        call.service.refusals.note(
            "produce_refused", refusal, topic=topic_name, partition=data.index
        )
        return _refused(call, topic, data, refusal)
    answer = PartitionProduceResponse(
        index=data.index,
        base_offset=info.base_offset,
        log_append_time_ms=info.log_append_time_ms,
        log_start_offset=info.log_start_offset,
    )
    if request.acks == ACKS_ALL and not is_replicated(partition, info):
        end = info.last_offset + 1
        judged.unreplicated.append(
            Unreplicated(partition, partition.elected_in_epoch, end, topic_data, answer)
        )
    return answer


def _acks_refused(acks: int, call: Call, data: PartitionProduceData) -> ApiError:
    """Refuse invalid acks, unless the records are malformed: that error comes first."""
    if call.api_version >= FIRST_WITH_BATCHES and data.records is not None:
        refusal = _shape_refusal(data.records, release_rules(call.cluster.options), call)
        if refusal is not None and refusal.code in _FOUND_BEFORE_ACKS:
            return refusal
    return ApiError(ErrorCode.INVALID_REQUIRED_ACKS, f"acks={acks}")


def _check_partition(topic: Topic, index: int) -> None:
    if topic.partition(index) is None:
        raise ApiError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {topic.name}-{index}"
        )


def _topic(call: Call, data: TopicProduceData) -> Topic:
    topic = topic_of(call, data, by_id=call.api_version >= FIRST_WITH_TOPIC_IDS)
    if topic.is_internal:
        raise ApiError(
            ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic.name}"
        )
    return topic


def _append(
    call: Call,
    partition: Partition,
    data: PartitionProduceData,
    verification_guard: VerificationGuard | None,
) -> LogAppendInfo:
    records = data.records
    if records is None:
        rules = release_rules(call.cluster.options)
        raise null_records_refused(rules.null_scope, rules.null_code)
    if call.api_version < FIRST_WITH_BATCHES:
        return append_message_set(call.service, partition, records)
    return append_records(
        call.service,
        partition,
        records,
        allows_zstd=call.api_version >= FIRST_WITH_ZSTD,
        verification_guard=verification_guard,
    )


def _refused(
    call: Call, topic: Topic | None, data: PartitionProduceData, refusal: ApiError
) -> PartitionProduceResponse:
    options = call.cluster.options
    code = options.produce.invalid_record_code if refusal.code is _INVALID_RECORD else refusal.code
    answer = PartitionProduceResponse(index=data.index, error_code=code, base_offset=NO_OFFSET)
    if isinstance(refusal, RecordsRefused):
        if code in options.produce.refusals_without_log_start_offset:
            return answer
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
    """Return True for an error with the log start offset, which kafka-clients read."""
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
        response.node_endpoints.append(
            NodeEndpoint(
                node_id=leader.node_id, host=leader.host, port=leader.port, rack=leader.rack
            )
        )

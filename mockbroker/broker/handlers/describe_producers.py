"""DescribeProducers: list the active producers of partitions (KIP-664)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.broker.partitions import hosted_partition, local_log
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from mockbroker.state.producer.producer_state_entry import ProducerStateEntry
from mockbroker.state.topic.topic_name import check_topic_name


def describe_producers(request: DescribeProducersRequest, call: Call) -> DescribeProducersResponse:
    """List the producers that the broker's replica of each partition knows, leader or not."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name,
                partitions=[
                    _described(topic.name, index, call)
                    for index in call.paced(topic.partition_indexes)
                ],
            )
            for topic in call.paced(request.topics)
        ]
    )


def _described(topic: str, index: int, call: Call) -> PartitionResponse:
    try:
        _check_topic(topic, call)
        partition = hosted_partition(call, topic, index)
    except ApiError as refusal:
        call.service.refusals.note(
            "describe_producers_refused", refusal, topic=topic, partition=index
        )
        return PartitionResponse(
            partition_index=index,
            error_code=refusal.code,
            # Kafka sends a message for a topic, and only the code for a partition.
            error_message=refusal.why if isinstance(refusal, _TopicRefused) else None,
        )
    log = local_log(call, partition)
    return PartitionResponse(
        partition_index=index, active_producers=[_producer(entry) for entry in log.producers]
    )


class _TopicRefused(ApiError):  # noqa: N818 - named after the outcome, as in Kafka
    """Topic that cannot be described."""


def _check_topic(topic: str, call: Call) -> None:
    if call.cluster.options.transactions.describes_producers_of_any_topic:
        return
    try:
        check_topic_name(topic, call.cluster.options.admin_refusals)
    except ApiError as refusal:
        raise _TopicRefused(refusal.code, refusal.why) from None
    if topic not in call.cluster.topics:
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        raise _TopicRefused(code, DEFAULT_MESSAGES[code])


def _producer(entry: ProducerStateEntry) -> ProducerState:
    return ProducerState(
        producer_id=entry.producer_id,
        producer_epoch=entry.producer_epoch,
        last_sequence=entry.last_sequence,
        last_timestamp=entry.last_timestamp_ms,
        coordinator_epoch=entry.coordinator_epoch,
        current_txn_start_offset=entry.current_txn_first_offset,
    )

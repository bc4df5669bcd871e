"""The five APIs of the share coordinator: the persisted states of share partitions (KIP-932).

Share-partition leaders use them, but Kafka serves them to any client. The order of a response is
that of Kafka's hash tables: each topic and each partition stands in it once, however often it was
requested. Without group id nothing is done; nor, except by InitializeShareGroupState, with a topic
that has no partitions.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from mockbroker.broker.call import Call
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import delete_share_group_state as delete
from mockbroker.protocol.messages import initialize_share_group_state as initialize
from mockbroker.protocol.messages import read_share_group_state as read
from mockbroker.protocol.messages import read_share_group_state_summary as summary
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages import write_share_group_state as write
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.share.share_coordinator import ShareCoordinator
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_states import WrittenState
from mockbroker.state.share.state_batch import StateBatch
from mockbroker.state.topic.java_hash import ids_in_java_hash_order, indexes_in_java_hash_order

_MESSAGES: Final = {
    ErrorCode.NOT_COORDINATOR: "This is not the correct coordinator.",
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: (
        "The coordinator is loading and hence can't process requests."
    ),
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
}
"""Messages of the errors that the coordinator's runtime raises."""

_NO_START_OFFSET: Final = -1


class _Partition(Protocol):
    partition: int


class _Topic(Protocol):
    topic_id: Uuid
    partitions: list[Any]


class _Request(Protocol):
    group_id: str
    topics: list[Any]


ResultT = TypeVar("ResultT")
TopicT = TypeVar("TopicT")
_Operation = Callable[[ShareCoordinator, SharePartitionKey, Any], ResultT]


def initialize_state(request: initialize.InitializeShareGroupStateRequest, call: Call) -> Message:
    """Begin the states of share partitions."""
    if not call.cluster.options.serves_share_groups:
        return _refuse(request, call)

    def run(
        coordinator: ShareCoordinator, key: SharePartitionKey, data: initialize.PartitionData
    ) -> initialize.PartitionResult:
        coordinator.initialize(key, data.state_epoch, data.start_offset, call.now_ms)
        return initialize.PartitionResult(partition=key.partition)

    results = _results(request, call, run, initialize.PartitionResult)
    return initialize.InitializeShareGroupStateResponse(
        results=[
            initialize.InitializeStateResult(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in call.paced(results)
        ]
    )


def read_state(request: read.ReadShareGroupStateRequest, call: Call) -> Message:
    """Return the states of share partitions to their leader."""
    if not call.cluster.options.serves_share_groups:
        return _refuse(request, call)

    def run(
        coordinator: ShareCoordinator, key: SharePartitionKey, data: read.PartitionData
    ) -> read.PartitionResult:
        offset = coordinator.read(key, data.leader_epoch, call.now_ms)
        return read.PartitionResult(
            partition=key.partition,
            state_epoch=offset.state_epoch,
            start_offset=offset.start_offset,
            state_batches=[read.StateBatch(**each._asdict()) for each in offset.state_batches],
        )

    results = _results(request, call, run, read.PartitionResult)
    return read.ReadShareGroupStateResponse(
        results=[
            read.ReadStateResult(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in call.paced(results)
        ]
    )


def write_state(request: write.WriteShareGroupStateRequest, call: Call) -> Message:
    """Store the states that the leader of share partitions writes."""
    if not call.cluster.options.serves_share_groups:
        return _refuse(request, call)

    def run(
        coordinator: ShareCoordinator, key: SharePartitionKey, data: write.PartitionData
    ) -> write.PartitionResult:
        written = WrittenState(
            data.state_epoch,
            data.leader_epoch,
            data.start_offset,
            data.delivery_complete_count,
            [
                StateBatch(
                    each.first_offset, each.last_offset, each.delivery_state, each.delivery_count
                )
                for each in data.state_batches
            ],
        )
        coordinator.write(key, written, call.now_ms)
        return write.PartitionResult(partition=key.partition)

    results = _results(request, call, run, write.PartitionResult)
    return write.WriteShareGroupStateResponse(
        results=[
            write.WriteStateResult(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in call.paced(results)
        ]
    )


def delete_state(request: delete.DeleteShareGroupStateRequest, call: Call) -> Message:
    """Delete the states of share partitions."""
    if not call.cluster.options.serves_share_groups:
        return _refuse(request, call)

    def run(
        coordinator: ShareCoordinator, key: SharePartitionKey, _data: delete.PartitionData
    ) -> delete.PartitionResult:
        coordinator.delete(key, call.now_ms)
        return delete.PartitionResult(partition=key.partition)

    results = _results(request, call, run, delete.PartitionResult)
    return delete.DeleteShareGroupStateResponse(
        results=[
            delete.DeleteStateResult(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in call.paced(results)
        ]
    )


def read_summary(request: summary.ReadShareGroupStateSummaryRequest, call: Call) -> Message:
    """Return the start offsets and epochs of share partitions."""
    if not call.cluster.options.serves_share_groups:
        return _refuse(request, call)

    def run(
        coordinator: ShareCoordinator, key: SharePartitionKey, _data: summary.PartitionData
    ) -> summary.PartitionResult:
        offset = coordinator.summary(key)
        if offset is None:
            return summary.PartitionResult(partition=key.partition, start_offset=_NO_START_OFFSET)
        return summary.PartitionResult(
            partition=key.partition,
            state_epoch=offset.state_epoch,
            leader_epoch=offset.leader_epoch,
            start_offset=offset.start_offset,
            delivery_complete_count=offset.delivery_complete_count,
        )

    results = _results(request, call, run, summary.PartitionResult)
    return summary.ReadShareGroupStateSummaryResponse(
        results=[
            summary.ReadStateSummaryResult(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in call.paced(results)
        ]
    )


def _results(
    request: _Request,
    call: Call,
    run: _Operation[ResultT],
    refused: Callable[..., ResultT],
) -> list[tuple[Uuid, list[ResultT]]]:
    """Run an operation for each partition of a request; return the results by topic."""
    topics: Sequence[_Topic] = request.topics
    has_empty = not all(topic.partitions for topic in call.paced(topics))
    if not request.group_id or (has_empty and refused is not initialize.PartitionResult):
        return []
    coordinator = call.cluster.share_coordinator(call.broker_id)
    results: dict[Uuid, dict[int, ResultT]] = {}
    for topic in call.paced(topics):
        partitions: Sequence[_Partition] = topic.partitions
        for data in call.paced(partitions):
            of_topic = results.setdefault(topic.topic_id, {})
            key = SharePartitionKey(request.group_id, topic.topic_id, data.partition)
            try:
                of_topic[data.partition] = run(coordinator, key, data)
            except ApiError as refusal:
                of_topic[data.partition] = refused(
                    partition=data.partition,
                    error_code=refusal.code,
                    error_message=_message(refusal, call),
                )
    return [
        (topic_id, _in_order(results[topic_id], call))
        for topic_id in call.paced(ids_in_java_hash_order(results, paced=call.paced))
    ]


def _in_order(of_topic: dict[int, ResultT], call: Call) -> list[ResultT]:
    if len(of_topic) == 1:
        return list(of_topic.values())
    indexes = indexes_in_java_hash_order(of_topic, paced=call.paced)
    return [of_topic[index] for index in indexes]


def _message(refusal: ApiError, call: Call) -> str:
    call.service.refusals.note("share_group_state_refused", refusal, api=call.api_key.name)
    message = _MESSAGES.get(refusal.code)
    if message is None:
        return refusal.why
    what = call.api_key.name.replace("_", " ").lower()
    return f"Unable to {what}: {message}"


def _refuse(request: Message, call: Call) -> Message:
    """Refuse with NOT_COORDINATOR; without a group id the response is empty."""
    message = _message(ApiError(ErrorCode.NOT_COORDINATOR, "share.version is 0"), call)
    if not getattr(request, "group_id"):  # noqa: B009 - all of these requests have one
        return response_type(call.api_key)()
    refusal = ApiError(ErrorCode.NOT_COORDINATOR, message)
    return error_response(request, call.api_version, refusal, paced=call.paced)

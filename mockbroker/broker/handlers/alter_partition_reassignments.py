"""AlterPartitionReassignments: start or cancel partition reassignments (KIP-455)."""

from collections.abc import Iterable, Iterator
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import Deadline, check_asked_controller
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from mockbroker.state.replication.partition_reassignment import (
    alter_reassignment,
    find_for_reassignment,
)

NOT_CONTROLLER: Final = "This is not the correct controller for this cluster."


def alter_partition_reassignments(
    request: AlterPartitionReassignmentsRequest, call: Call
) -> AlterPartitionReassignmentsResponse:
    """Start each move; moves that need a copy end right after the response."""
    answer = AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_message=no_error(call, is_empty=not request.topics),
    )
    try:
        check_asked_controller(call, NOT_CONTROLLER)
        if request.topics:
            Deadline(call, request.timeout_ms).check_before_work()
    except ApiError as refusal:
        call.service.refusals.note("alter_partition_reassignments_refused", refusal)
        answer.error_code, answer.error_message = refusal.code, refusal.why or None
        if refusal.code is not ErrorCode.NOT_CONTROLLER:
            answer.responses = _all_refused(request, refusal, call)
        return answer
    for name, partitions in call.paced(_wanted(request, call)):
        result = ReassignableTopicResponse(name=name)
        result.partitions = [_moved(call, name, each, request) for each in call.paced(partitions)]
        answer.responses.append(result)
    return answer


def no_error(call: Call, *, is_empty: bool) -> str | None:
    """Return the error message of a response without an error: with ZooKeeper the empty string.

    With KRaft it is empty only for a request without topics, else null.
    """
    in_steps = call.cluster.options.cluster_admin.controller_works_in_steps
    return "" if in_steps or is_empty else None


def _wanted(
    request: AlterPartitionReassignmentsRequest, call: Call
) -> Iterator[tuple[str, Iterable[ReassignablePartition]]]:
    """Yield the partitions to move by topic; if repeats get one result, the last entry counts."""
    if not call.cluster.options.cluster_admin.partitions_are_answered_once:
        for topic in request.topics:
            yield topic.name, topic.partitions
        return
    by_topic: dict[str, dict[int, ReassignablePartition]] = {}
    for topic in request.topics:
        for partition in topic.partitions:
            by_topic.setdefault(topic.name, {})[partition.partition_index] = partition
    for name, partitions in by_topic.items():
        yield name, partitions.values()


def _moved(
    call: Call,
    topic: str,
    wanted: ReassignablePartition,
    request: AlterPartitionReassignmentsRequest,
) -> ReassignablePartitionResponse:
    cluster = call.cluster
    index = wanted.partition_index
    try:
        alter_reassignment(
            cluster,
            find_for_reassignment(cluster, topic, index, wanted.replicas),
            wanted.replicas,
            allow_replication_factor_change=request.allow_replication_factor_change,
            now_ms=call.now_ms,
        )
    except ApiError as refusal:
        call.service.refusals.note(
            "alter_partition_reassignments_refused", refusal, partition=f"{topic}-{index}"
        )
        return _refused(index, refusal)
    return ReassignablePartitionResponse(partition_index=index, error_message=None)


def _refused(index: int, refusal: ApiError) -> ReassignablePartitionResponse:
    return ReassignablePartitionResponse(
        partition_index=index, error_code=refusal.code, error_message=refusal.why or None
    )


def _all_refused(
    request: AlterPartitionReassignmentsRequest, refusal: ApiError, call: Call
) -> list[ReassignableTopicResponse]:
    return [
        ReassignableTopicResponse(
            name=topic.name,
            partitions=[_refused(each.partition_index, refusal) for each in topic.partitions],
        )
        for topic in call.paced(request.topics)
    ]

"""ListPartitionReassignments: list the reassignments in progress (KIP-455)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import check_asked_controller
from mockbroker.broker.handlers.alter_partition_reassignments import NOT_CONTROLLER, no_error
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.replication.partition_reassignment import moving_partitions


def list_partition_reassignments(
    request: ListPartitionReassignmentsRequest, call: Call
) -> ListPartitionReassignmentsResponse:
    """List the ongoing moves of the named partitions, or of all."""
    try:
        check_asked_controller(call, NOT_CONTROLLER)
    except ApiError as refusal:
        call.service.refusals.note("list_partition_reassignments_refused", refusal)
        return ListPartitionReassignmentsResponse(
            error_code=refusal.code, error_message=refusal.why
        )
    wanted = request.topics and {
        TopicPartition(topic.name, index)
        for topic in call.paced(request.topics)
        for index in topic.partition_indexes
    }
    topics: dict[str, OngoingTopicReassignment] = {}
    for partition in moving_partitions(call.cluster):
        name, index = partition.topic_partition
        if wanted is None or partition.topic_partition in wanted:
            topics.setdefault(name, OngoingTopicReassignment(name=name)).partitions.append(
                OngoingPartitionReassignment(
                    partition_index=index,
                    replicas=list(partition.replicas),
                    adding_replicas=list(partition.adding_replicas),
                    removing_replicas=list(partition.removing_replicas),
                )
            )
    return ListPartitionReassignmentsResponse(
        error_message=no_error(call, is_empty=False), topics=list(topics.values())
    )

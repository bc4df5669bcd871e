"""CreatePartitions: add partitions to topics (KIP-195)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import (
    Deadline,
    check_asked_controller,
    repeated_last,
    wake_readers,
)
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from mockbroker.state.topic.replication_control import MorePartitions, PlannedPartitions


def create_partitions(request: CreatePartitionsRequest, call: Call) -> CreatePartitionsResponse:
    """Increase each topic's partitions to the requested number."""
    by_name = {topic.name: topic for topic in request.topics}
    names, repeated = repeated_last(call, (topic.name for topic in request.topics))
    wanted = [_more(by_name[name]) for name in call.paced(names) if name not in repeated]
    deadline = Deadline(call, request.timeout_ms)
    try:
        check_asked_controller(call)
        deadline.check_before_work()
        call.cluster.replication.check_additional(call.paced(wanted))
        plans = call.cluster.replication.plan_partitions(call.paced(wanted))
    except ApiError as refusal:
        call.service.refusals.note("create_partitions_refused", refusal)
        return CreatePartitionsResponse(
            results=[_result(topic.name, refusal) for topic in request.topics]
        )
    if not request.validate_only:
        plans = [
            _add(each, planned, call, deadline) for each, planned in zip(wanted, plans, strict=True)
        ]
    twice = call.cluster.options.admin_refusals.new_partitions_repeated.error()
    outcomes = [(each.name, planned) for each, planned in zip(wanted, plans, strict=True)]
    outcomes += [(name, twice) for name in repeated]
    for name, outcome in call.paced(outcomes):
        if isinstance(outcome, ApiError):
            call.service.refusals.note("create_partitions_refused", outcome, topic=name)
    return CreatePartitionsResponse(results=[_result(*outcome) for outcome in call.paced(outcomes)])


def _more(topic: CreatePartitionsTopic) -> MorePartitions:
    assignments = None
    if topic.assignments is not None:
        assignments = [assignment.broker_ids for assignment in topic.assignments]
    return MorePartitions(topic.name, topic.count, assignments)


def _add(
    wanted: MorePartitions, planned: PlannedPartitions | ApiError, call: Call, deadline: Deadline
) -> PlannedPartitions | ApiError:
    if isinstance(planned, ApiError):
        return planned
    if len(planned.topic.partitions) + len(planned.assignments) != wanted.total:
        # Another request has added partitions while this one, a large one, was planned.
        (planned,) = call.cluster.replication.plan_partitions([wanted])
        if isinstance(planned, ApiError):
            return planned
    call.cluster.replication.add_partitions(planned)
    wake_readers(call, planned.topic)
    try:
        deadline.check_after_work()
    except ApiError as refusal:
        return refusal
    return planned


def _result(name: str, outcome: PlannedPartitions | ApiError) -> CreatePartitionsTopicResult:
    if isinstance(outcome, ApiError):
        return CreatePartitionsTopicResult(
            name=name, error_code=outcome.code, error_message=outcome.why or None
        )
    return CreatePartitionsTopicResult(name=name)

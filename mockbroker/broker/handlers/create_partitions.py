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


def create_partitions(request: CreatePartitionsRequest, call: Call) -> CreatePartitionsResponse:
    """Increase each topic's partitions to the requested number."""
    by_name = {topic.name: topic for topic in request.topics}
    names, repeated = repeated_last(call, (topic.name for topic in request.topics))
    deadline = Deadline(call, request.timeout_ms)
    results = [
        _extend(by_name[name], call, deadline, validate_only=request.validate_only)
        for name in call.paced(names)
        if name not in repeated
    ]
    refusal = call.cluster.options.admin_refusals.new_partitions_repeated.error()
    results += [_refused(call, name, refusal) for name in call.paced(repeated)]
    return CreatePartitionsResponse(results=results)


def _extend(
    topic: CreatePartitionsTopic, call: Call, deadline: Deadline, *, validate_only: bool
) -> CreatePartitionsTopicResult:
    manual = None
    if topic.assignments is not None:
        manual = [assignment.broker_ids for assignment in topic.assignments]
    replication = call.cluster.replication
    try:
        check_asked_controller(call)
        deadline.check_before_work()
        found, assignments = replication.plan_partitions(topic.name, topic.count, manual)
        if not validate_only:
            replication.add_partitions(found, assignments)
            wake_readers(call, found)
            deadline.check_after_work()
    except ApiError as refusal:
        return _refused(call, topic.name, refusal)
    return CreatePartitionsTopicResult(name=topic.name)


def _refused(call: Call, name: str, refusal: ApiError) -> CreatePartitionsTopicResult:
    call.service.refusals.note("create_partitions_refused", refusal, topic=name)
    return CreatePartitionsTopicResult(
        name=name, error_code=refusal.code, error_message=refusal.why or None
    )

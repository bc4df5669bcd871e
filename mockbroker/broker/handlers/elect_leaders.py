"""ElectLeaders: elect preferred replicas as leaders (KIP-183, KIP-460)."""

from collections.abc import Iterable, Iterator
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import Deadline, check_asked_controller
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from mockbroker.state.replication.client_election import (
    ElectionType,
    elect_by_type,
    election_type_of,
    find_for_election,
)

_NOT_NEEDED: Final = ErrorCode.ELECTION_NOT_NEEDED


def elect_leaders(request: ElectLeadersRequest, call: Call) -> ElectLeadersResponse:
    """Elect the leaders of the named partitions, or of all."""
    deadline = Deadline(call, request.timeout_ms)
    try:
        election_type = _election_type(request.election_type, call)
        deadline.check_before_work()
    except ApiError as refusal:
        call.service.refusals.note("elect_leaders_refused", refusal)
        return ElectLeadersResponse(
            error_code=refusal.code, replica_election_results=_all_refused(request, refusal, call)
        )
    results = [
        ReplicaElectionResult(
            topic=name,
            partition_result=[
                _elected(call, name, index, election_type, deadline)
                for index in call.paced(partitions)
            ],
        )
        for name, partitions in call.paced(_wanted(request, call))
    ]
    if request.topic_partitions is None:
        for result in results:
            result.partition_result = [
                each for each in result.partition_result if each.error_code != _NOT_NEEDED
            ]
    if call.cluster.options.cluster_admin.partitions_are_answered_once:
        results = [result for result in results if result.partition_result]
    return ElectLeadersResponse(replica_election_results=results)


def _election_type(number: int, call: Call) -> ElectionType:
    """Return the election type for its number.

    Raises:
        ApiError: with the release's error for an unknown type.

    """
    election_type = election_type_of(number)
    if election_type is None:
        raise call.cluster.options.cluster_admin_refusals.election_type.error(number)
    return election_type


def _wanted(request: ElectLeadersRequest, call: Call) -> Iterator[tuple[str, Iterable[int]]]:
    """Yield the partitions to elect, by topic, in the order of the response."""
    if request.topic_partitions is None:
        for topic in call.cluster.topics:
            yield topic.name, range(len(topic.partitions))
    elif call.cluster.options.cluster_admin.partitions_are_answered_once:
        by_topic: dict[str, dict[int, None]] = {}
        for named in request.topic_partitions:
            by_topic.setdefault(named.topic, {}).update(dict.fromkeys(named.partitions))
        yield from by_topic.items()
    else:
        for named in request.topic_partitions:
            yield named.topic, named.partitions


def _elected(
    call: Call, topic: str, index: int, election_type: ElectionType, deadline: Deadline
) -> PartitionResult:
    try:
        check_asked_controller(call)
        partition = find_for_election(call.cluster, topic, index)
        elect_by_type(call.cluster, partition, election_type, now_ms=call.now_ms)
        deadline.check_after_work()
    except ApiError as refusal:
        call.service.refusals.note("elect_leaders_refused", refusal, partition=f"{topic}-{index}")
        return _result(index, refusal)
    return PartitionResult(partition_id=index, error_message=None)


def _result(index: int, refusal: ApiError) -> PartitionResult:
    return PartitionResult(
        partition_id=index, error_code=refusal.code, error_message=refusal.why or None
    )


def _all_refused(
    request: ElectLeadersRequest, refusal: ApiError, call: Call
) -> list[ReplicaElectionResult]:
    return [
        ReplicaElectionResult(
            topic=named.topic,
            partition_result=[_result(index, refusal) for index in named.partitions],
        )
        for named in call.paced(request.topic_partitions or ())
    ]

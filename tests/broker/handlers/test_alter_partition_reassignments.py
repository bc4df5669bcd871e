"""AlterPartitionReassignments, with the effects on the listing and on Metadata."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import Brokers

NONE = ErrorCode.NONE


def placed(release: str = "4.4") -> Brokers:
    brokers = Brokers(brokers=3, release=release)
    replicas = [(0, (1,)), (1, (2,))]
    brokers.state.create_topic(NewTopic(name="t", assignments=replicas))
    return brokers


def wanted(*parts: tuple[str, int, list[int] | None]) -> AlterPartitionReassignmentsRequest:
    topics: list[ReassignableTopic] = []
    for name, index, replicas in parts:
        part = ReassignablePartition(partition_index=index, replicas=replicas)
        topics.append(ReassignableTopic(name=name, partitions=[part]))
    return AlterPartitionReassignmentsRequest(timeout_ms=1_000, topics=topics)


def alter(
    brokers: Brokers,
    request: AlterPartitionReassignmentsRequest,
    *,
    version: int = 1,
    broker_id: int = 1,
) -> tuple[ErrorCode, str | None, list[tuple[str, int, ErrorCode]]]:
    kind = AlterPartitionReassignmentsResponse
    answer = brokers.ask(request, version, kind, broker_id=broker_id)
    return (
        ErrorCode(answer.error_code),
        answer.error_message,
        [
            (topic.name, each.partition_index, ErrorCode(each.error_code))
            for topic in answer.responses
            for each in topic.partitions
        ],
    )


def replicas(brokers: Brokers) -> list[tuple[int, ...]]:
    return [partition.replicas for partition in brokers.topic("t").partitions]


def test_partitions_are_moved_one_by_one() -> None:
    brokers = placed()
    request = wanted(("t", 0, [3]), ("t", 1, [9]), ("u", 0, [1]), ("t", 1, None))
    assert alter(brokers, request) == (
        NONE,
        None,
        [
            ("t", 0, NONE),
            ("t", 1, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
            ("u", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("t", 1, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
        ],
    )
    brokers.loop.run()
    assert replicas(brokers) == [(3,), (2,)]
    assert brokers.partition("t").leader_id == 3


def test_with_zookeeper_the_last_of_two_plans_counts() -> None:
    brokers = placed("2.4")
    request = wanted(("t", 0, [2]), ("t", 0, [3]))
    assert alter(brokers, request, version=0) == (NONE, "", [("t", 0, NONE)])
    brokers.loop.run()
    assert replicas(brokers) == [(3,), (2,)]


def test_with_zookeeper_only_the_controller_moves() -> None:
    brokers = placed("2.4")
    code, why, results = alter(brokers, wanted(("t", 0, [2])), version=0, broker_id=2)
    assert (code, results) == (ErrorCode.NOT_CONTROLLER, [])
    assert why == "This is not the correct controller for this cluster."
    assert replicas(brokers) == [(1,), (2,)]


def test_without_time_no_move_begins() -> None:
    brokers = placed()
    request = wanted(("t", 0, [2]))
    request.timeout_ms = 0
    code = ErrorCode.REQUEST_TIMED_OUT
    assert alter(brokers, request) == (code, None, [("t", 0, code)])
    assert replicas(brokers) == [(1,), (2,)]


def test_the_number_of_replicas_may_be_fixed() -> None:
    brokers = placed()
    request = wanted(("t", 0, [2, 3]))
    request.allow_replication_factor_change = False
    kind = AlterPartitionReassignmentsResponse
    answer = brokers.ask(request, 1, kind)
    assert answer.allow_replication_factor_change is False
    (result,) = answer.responses[0].partitions
    assert result.error_code == ErrorCode.INVALID_REPLICATION_FACTOR
    assert result.error_message == "The replication factor is changed from 1 to 2"


def test_an_empty_request_has_an_empty_message() -> None:
    assert alter(placed(), wanted()) == (NONE, "", [])

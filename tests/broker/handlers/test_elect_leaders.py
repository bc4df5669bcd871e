"""ElectLeaders for some partitions, for all, and at brokers that may not elect."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import Brokers

NONE, NOT_NEEDED = ErrorCode.NONE, ErrorCode.ELECTION_NOT_NEEDED
Results = list[tuple[str, int, ErrorCode]]


def turned(release: str = "4.4") -> Brokers:
    """Create a topic of three partitions; the first two lack their preferred leaders."""
    brokers = Brokers(brokers=3, release=release)
    replicas = [(0, (2, 1)), (1, (3, 1)), (2, (1, 2))]
    topic = brokers.state.create_topic(NewTopic(name="t", assignments=replicas))
    for partition in topic.partitions:
        partition.leader_id = 1
    return brokers


def elect(
    brokers: Brokers,
    partitions: list[int] | None,
    *,
    election_type: int = 0,
    timeout_ms: int = 1_000,
    broker_id: int = 1,
    version: int = 2,
) -> tuple[ErrorCode, Results]:
    wanted = None if partitions is None else [TopicPartitions(topic="t", partitions=partitions)]
    request = ElectLeadersRequest(
        election_type=election_type, topic_partitions=wanted, timeout_ms=timeout_ms
    )
    answer = brokers.ask(request, version, ElectLeadersResponse, broker_id=broker_id)
    return ErrorCode(answer.error_code), [
        (result.topic, each.partition_id, ErrorCode(each.error_code))
        for result in answer.replica_election_results
        for each in result.partition_result
    ]


def leaders(brokers: Brokers) -> list[int]:
    return [partition.leader_id for partition in brokers.topic("t").partitions]


def test_named_partitions_are_elected_in_the_order_of_the_request() -> None:
    brokers = turned()
    assert elect(brokers, [2, 0, 0, 9]) == (
        NONE,
        [
            ("t", 2, NOT_NEEDED),
            ("t", 0, NONE),
            ("t", 0, NOT_NEEDED),
            ("t", 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ],
    )
    assert leaders(brokers) == [2, 1, 1]


def test_an_election_for_all_lists_only_needed_elections() -> None:
    brokers = turned()
    assert elect(brokers, None) == (NONE, [("t", 0, NONE), ("t", 1, NONE)])
    assert leaders(brokers) == [2, 3, 1]
    assert elect(brokers, None) == (NONE, [])


def test_with_zookeeper_a_partition_that_is_named_twice_is_elected_once() -> None:
    assert elect(turned("2.4"), [0, 0]) == (NONE, [("t", 0, NONE)])


def test_with_zookeeper_only_the_controller_elects() -> None:
    brokers = turned("2.4")
    refused = ErrorCode.NOT_CONTROLLER
    assert elect(brokers, [0, 9], broker_id=2) == (NONE, [("t", 0, refused), ("t", 9, refused)])
    assert leaders(brokers) == [1, 1, 1]
    assert elect(turned(), [0], broker_id=2) == (NONE, [("t", 0, NONE)])


def test_without_time_kraft_elects_nothing_and_zookeeper_hides_the_result() -> None:
    timed_out = ErrorCode.REQUEST_TIMED_OUT
    brokers = turned()
    assert elect(brokers, [0], timeout_ms=0) == (timed_out, [("t", 0, timed_out)])
    assert leaders(brokers) == [1, 1, 1]
    brokers = turned("2.4")
    assert elect(brokers, [0, 2], timeout_ms=0) == (
        NONE,
        [("t", 0, timed_out), ("t", 2, NOT_NEEDED)],
    )
    assert leaders(brokers) == [2, 1, 1]


@pytest.mark.parametrize(
    ("release", "code"),
    [("4.4", ErrorCode.INVALID_REQUEST), ("2.4", ErrorCode.UNKNOWN_SERVER_ERROR)],
)
def test_an_unknown_election_type_is_refused(release: str, code: ErrorCode) -> None:
    brokers = turned(release)
    assert elect(brokers, [0, 1], election_type=7) == (code, [("t", 0, code), ("t", 1, code)])
    assert elect(brokers, None, election_type=7) == (code, [])
    assert leaders(brokers) == [1, 1, 1]

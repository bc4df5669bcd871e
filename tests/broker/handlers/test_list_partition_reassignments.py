"""ListPartitionReassignments for all partitions or for some."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
)
from mockbroker.state.replication.partition_reassignment import alter_reassignment
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import NOW_MS, Brokers

Listed = tuple[str, int, list[int], list[int], list[int]]


def moving(release: str = "4.4") -> Brokers:
    """Start to move the first partition of two topics, without completion."""
    brokers = Brokers(brokers=3, release=release)
    for name, target in [("t", [2]), ("u", [1, 3])]:
        replicas = [(0, (1,)), (1, (1,))]
        topic = brokers.state.create_topic(NewTopic(name=name, assignments=replicas))
        alter_reassignment(brokers.state, topic.partitions[0], target, now_ms=NOW_MS)
    return brokers


def listed(brokers: Brokers, *topics: tuple[str, list[int]]) -> list[Listed]:
    wanted = [
        ListPartitionReassignmentsTopics(name=name, partition_indexes=indexes)
        for name, indexes in topics
    ]
    request = ListPartitionReassignmentsRequest(topics=wanted or None)
    answer = brokers.ask(request, 0, ListPartitionReassignmentsResponse)
    assert answer.error_code == ErrorCode.NONE
    return [
        (
            topic.name,
            each.partition_index,
            each.replicas,
            each.adding_replicas,
            each.removing_replicas,
        )
        for topic in answer.topics
        for each in topic.partitions
    ]


T: Listed = ("t", 0, [2, 1], [2], [1])
U: Listed = ("u", 0, [1, 3], [3], [])


def test_moving_partitions_are_listed_until_they_have_moved() -> None:
    brokers = moving()
    assert listed(brokers) == [T, U]
    brokers.loop.run()
    assert listed(brokers) == []


def test_only_named_partitions_that_move_are_listed() -> None:
    assert listed(moving(), ("u", [0, 1, 9]), ("missing", [0])) == [U]
    assert listed(moving(), ("t", [1])) == []


def test_with_zookeeper_only_the_controller_lists() -> None:
    brokers = moving("2.4")
    request = ListPartitionReassignmentsRequest(topics=None)
    answer = brokers.ask(request, 0, ListPartitionReassignmentsResponse, broker_id=3)
    assert answer.error_code == ErrorCode.NOT_CONTROLLER
    assert not answer.topics
    answer = moving("2.4").ask(request, 0, ListPartitionReassignmentsResponse)
    assert (answer.error_message, len(answer.topics)) == ("", 2)

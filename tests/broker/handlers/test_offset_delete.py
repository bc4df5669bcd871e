"""OffsetDelete deletes the committed offsets of a group."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from tests.state.group.coordinator_building import GROUP, commit, committed, offset, stable_group
from tests.support.transactions import new_brokers


def request_of(*indexes: int, topic: str = "orders") -> OffsetDeleteRequest:
    partitions = [OffsetDeleteRequestPartition(partition_index=index) for index in indexes]
    topics = [OffsetDeleteRequestTopic(name=topic, partitions=partitions)]
    return OffsetDeleteRequest(group_id=GROUP, topics=topics)


def codes(answer: OffsetDeleteResponse) -> list[tuple[int, int]]:
    return [
        (partition.partition_index, partition.error_code)
        for topic in answer.topics
        for partition in topic.partitions
    ]


def test_offsets_are_deleted_and_unknown_partitions_refused() -> None:
    brokers = new_brokers()
    coordinator = brokers.state.group_coordinator(1)
    commit(coordinator, offset(5))
    answer = brokers.ask(request_of(0, 9), 0, OffsetDeleteResponse)
    assert answer.error_code == ErrorCode.NONE
    assert codes(answer) == [(0, ErrorCode.NONE), (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    assert committed(coordinator) is None


def test_committed_offsets_are_returned() -> None:
    brokers = new_brokers()
    stable_group(brokers.state.group_coordinator(1))
    answer = brokers.ask(request_of(0), 0, OffsetDeleteResponse)
    assert codes(answer) == [(0, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC)]


def test_an_invalid_group_is_refused_as_a_whole() -> None:
    answer = new_brokers().ask(request_of(0), 0, OffsetDeleteResponse)
    assert (answer.error_code, answer.topics) == (ErrorCode.GROUP_ID_NOT_FOUND, [])

"""APIs of share group state, which has no coordinator."""

from uuid import UUID

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.read_share_group_state import (
    PartitionData,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateData,
)
from tests.support.in_process import Brokers

TOPIC_ID = UUID(int=7)


def read(group_id: str) -> ReadShareGroupStateResponse:
    partitions = [PartitionData(partition=index) for index in (1, 0)]
    request = ReadShareGroupStateRequest(
        group_id=group_id, topics=[ReadStateData(topic_id=TOPIC_ID, partitions=partitions)]
    )
    return Brokers().ask(request, 0, ReadShareGroupStateResponse)


def test_each_partition_is_answered_with_not_coordinator() -> None:
    (topic,) = read("g").results
    assert topic.topic_id == TOPIC_ID
    assert [(each.partition, each.error_code) for each in topic.partitions] == [
        (1, ErrorCode.NOT_COORDINATOR),
        (0, ErrorCode.NOT_COORDINATOR),
    ]
    assert topic.partitions[0].error_message == (
        "Unable to read share group state: This is not the correct coordinator."
    )


def test_without_a_group_the_response_is_empty() -> None:
    assert read("").results == []

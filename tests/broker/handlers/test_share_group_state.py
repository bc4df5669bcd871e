"""APIs of share group state, on brokers with and without share groups."""

from uuid import UUID

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import initialize_share_group_state as initialize
from mockbroker.protocol.messages import write_share_group_state as write
from mockbroker.protocol.messages.read_share_group_state import (
    PartitionData,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateData,
)
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.support.in_process import Brokers

TOPIC_ID = UUID(int=7)


def read(group_id: str) -> ReadShareGroupStateResponse:
    partitions = [PartitionData(partition=index) for index in (1, 0)]
    request = ReadShareGroupStateRequest(
        group_id=group_id, topics=[ReadStateData(topic_id=TOPIC_ID, partitions=partitions)]
    )
    brokers = Brokers(features={"share.version": 0})
    return brokers.ask(request, 0, ReadShareGroupStateResponse)


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


def test_a_state_is_written_and_read() -> None:
    brokers = Brokers(topics={"t": 1})
    brokers.state.create_topic(internal_topic(SHARE_GROUP_STATE, brokers.state.configs))
    topic_id = brokers.topic("t").topic_id
    beginning = initialize.InitializeStateData(
        topic_id=topic_id, partitions=[initialize.PartitionData(start_offset=4)]
    )
    begin = initialize.InitializeShareGroupStateRequest(group_id="g", topics=[beginning])
    brokers.ask(begin, 0, initialize.InitializeShareGroupStateResponse)
    batch = write.StateBatch(first_offset=4, last_offset=6, delivery_state=2, delivery_count=1)
    data = write.PartitionData(start_offset=4, state_batches=[batch])
    writing = write.WriteStateData(topic_id=topic_id, partitions=[data])
    request = write.WriteShareGroupStateRequest(group_id="g", topics=[writing])
    brokers.ask(request, 1, write.WriteShareGroupStateResponse)
    reading = ReadShareGroupStateRequest(
        group_id="g",
        topics=[ReadStateData(topic_id=topic_id, partitions=[PartitionData(leader_epoch=1)])],
    )
    answer = brokers.ask(reading, 0, ReadShareGroupStateResponse)
    (partition,) = answer.results[0].partitions
    assert (partition.start_offset, len(partition.state_batches)) == (4, 1)


def test_without_a_group_the_response_is_empty() -> None:
    assert read("").results == []

"""DescribeQuorum knows one quorum and no other."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    PartitionData,
    ResponsePartitionData,
    TopicData,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import NOW_MS, Brokers

QUORUM = "__cluster_metadata"


def ask(brokers: Brokers, *topics: tuple[str, list[int]]) -> DescribeQuorumResponse:
    request = DescribeQuorumRequest(
        topics=[
            TopicData(
                topic_name=name,
                partitions=[PartitionData(partition_index=each) for each in indexes],
            )
            for name, indexes in topics
        ]
    )
    return brokers.ask(request, 2, DescribeQuorumResponse)


def quorum(brokers: Brokers) -> ResponsePartitionData:
    (partition,) = ask(brokers, (QUORUM, [0])).topics[0].partitions
    return partition


def test_every_broker_votes_and_the_controller_leads() -> None:
    brokers = Brokers(brokers=3)
    partition = quorum(brokers)
    assert partition.leader_id == brokers.state.controller_id
    assert [voter.replica_id for voter in partition.current_voters] == [1, 2, 3]
    assert {voter.log_end_offset for voter in partition.current_voters} == {
        partition.high_watermark
    }
    assert {voter.last_fetch_timestamp for voter in partition.current_voters} == {NOW_MS}
    assert not partition.observers
    assert [node.node_id for node in ask(brokers, (QUORUM, [0])).nodes] == [1, 2, 3]


def test_the_metadata_grows_with_each_change() -> None:
    brokers = Brokers()
    before = quorum(brokers).high_watermark
    brokers.state.create_topic(NewTopic(name="t"))
    assert quorum(brokers).high_watermark > before


def test_anything_else_is_unknown() -> None:
    brokers = Brokers(topics={"t": 1})
    for topics in ([("t", [0])], [(QUORUM, [1])], [(QUORUM, [0, 0])], [(QUORUM, [0]), ("t", [0])]):
        answer = ask(brokers, *topics)
        assert answer.error_code == ErrorCode.NONE
        assert not answer.nodes
        partitions = [each for topic in answer.topics for each in topic.partitions]
        assert {each.error_code for each in partitions} == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        assert len(partitions) == sum(len(indexes) for _, indexes in topics)

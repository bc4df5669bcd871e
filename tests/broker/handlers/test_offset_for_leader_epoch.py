"""OffsetForLeaderEpoch: the end offset of a leader epoch."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import Brokers
from tests.support.logged import Logged
from tests.support.requests import produce


@pytest.fixture
def brokers() -> Brokers:
    """One partition, with two batches of leader epoch 0 and one of leader epoch 3."""
    brokers = Brokers(brokers=2, topics={"orders": 2})
    partition = brokers.partition("orders")
    for leader_epoch in (0, 0, 3):
        partition.leader_epoch = leader_epoch
        brokers.ask(produce(), 9, ProduceResponse, broker_id=partition.leader_id)
    return brokers


def ask(
    brokers: Brokers,
    leader_epoch: int,
    *,
    topic: str = "orders",
    current_leader_epoch: int = -1,
    broker_id: int | None = None,
) -> EpochEndOffset:
    partition = OffsetForLeaderPartition(
        partition=0, current_leader_epoch=current_leader_epoch, leader_epoch=leader_epoch
    )
    request = OffsetForLeaderEpochRequest(
        replica_id=-1, topics=[OffsetForLeaderTopic(topic=topic, partitions=[partition])]
    )
    leader_id = brokers.partition("orders").leader_id
    answer = brokers.ask(request, 4, OffsetForLeaderEpochResponse, broker_id=broker_id or leader_id)
    ((end,),) = [topic.partitions for topic in answer.topics]
    return end


@pytest.mark.parametrize(
    ("asked", "leader_epoch", "end_offset"), [(0, 0, 2), (2, 0, 2), (3, 3, 3), (4, -1, -1)]
)
def test_the_end_of_the_largest_epoch_not_above(
    brokers: Brokers, asked: int, leader_epoch: int, end_offset: int
) -> None:
    end = ask(brokers, asked)
    assert end.error_code == ErrorCode.NONE
    assert (end.leader_epoch, end.end_offset) == (leader_epoch, end_offset)


def test_an_unknown_partition_is_refused_and_logged(brokers: Brokers, logged: Logged) -> None:
    assert ask(brokers, 0, topic="other").error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    (fields,) = logged.named("offset_for_leader_epoch_refused")
    assert fields["topic"] == "other"


def test_another_broker_is_not_the_leader(brokers: Brokers) -> None:
    other = 3 - brokers.partition("orders").leader_id
    assert ask(brokers, 0, broker_id=other).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (2, ErrorCode.FENCED_LEADER_EPOCH),
        (3, ErrorCode.NONE),
        (4, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_the_current_leader_epoch_is_checked(brokers: Brokers, said: int, code: ErrorCode) -> None:
    assert ask(brokers, 0, current_leader_epoch=said).error_code == code


@pytest.mark.parametrize(("release", "end_offset"), [("1.1", -1), ("2.3", 0)])
def test_a_leader_epoch_without_records_is_known_since_2_3(release: str, end_offset: int) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    partition = OffsetForLeaderPartition(partition=0, leader_epoch=0)
    topic = OffsetForLeaderTopic(topic="orders", partitions=[partition])
    request = OffsetForLeaderEpochRequest(topics=[topic])
    answer = brokers.ask(request, 0, OffsetForLeaderEpochResponse)
    assert answer.topics[0].partitions[0].end_offset == end_offset

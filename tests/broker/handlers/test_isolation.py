"""Isolation levels: two are valid, others are refused."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchRequest, FetchResponse
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from tests.support.in_process import Brokers

RELEASES = ["2.8", "4.4"]
OLD_RELEASES = ["0.11", "2.4"]


def list_offsets(isolation_level: int) -> ListOffsetsRequest:
    partition = ListOffsetsPartition(partition_index=0, timestamp=-1)
    topic = ListOffsetsTopic(name="orders", partitions=[partition])
    return ListOffsetsRequest(replica_id=-1, isolation_level=isolation_level, topics=[topic])


@pytest.mark.parametrize("release", [*OLD_RELEASES, *RELEASES])
@pytest.mark.parametrize("isolation_level", [0, 1])
def test_the_two_isolation_levels_are_accepted(release: str, isolation_level: int) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    answer = brokers.ask(list_offsets(isolation_level), 2, ListOffsetsResponse)
    assert answer.topics[0].partitions[0].error_code == ErrorCode.NONE


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("isolation_level", [2, -1])
def test_other_isolation_levels_are_refused(release: str, isolation_level: int) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    listed = brokers.ask(list_offsets(isolation_level), 2, ListOffsetsResponse)
    assert listed.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    fetching = FetchRequest(isolation_level=isolation_level)
    fetched = brokers.ask(fetching, 11, FetchResponse)
    assert fetched.error_code == ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("release", OLD_RELEASES)
def test_old_releases_close_the_connection(release: str) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    peer = brokers.connect()
    peer.send(list_offsets(2), 2)
    assert peer.new_frames() == []
    assert peer.transport.is_closing()

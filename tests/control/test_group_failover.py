"""Moves of a group's coordinator, which preserve committed offsets and members."""

from typing import Final, TypeVar

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.support.wire import broker_client

MessageT = TypeVar("MessageT", bound=Message)

GROUP: Final = "readers"


class Brokers:
    """Requests to the single brokers of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def ask(self, broker_id: int, request: Message, version: int, kind: type[MessageT]) -> MessageT:
        with broker_client(self._cluster, broker_id) as client:
            return client.ask(request, version, kind)

    def find(self) -> int:
        """Ask for the group's coordinator."""
        request = FindCoordinatorRequest(key=GROUP, key_type=0)
        return self.ask(1, request, 3, FindCoordinatorResponse).node_id

    def commit(self, broker_id: int, offset: int) -> ErrorCode:
        """Commit an offset for `orders`."""
        partition = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_metadata=None
        )
        topics = [OffsetCommitRequestTopic(name="orders", partitions=[partition])]
        request = OffsetCommitRequest(group_id=GROUP, topics=topics)
        answer = self.ask(broker_id, request, 7, OffsetCommitResponse)
        return ErrorCode(answer.topics[0].partitions[0].error_code)

    def committed(self, broker_id: int) -> tuple[ErrorCode, int | None]:
        """Fetch the committed offset of `orders`."""
        topics = [OffsetFetchRequestTopic(name="orders", partition_indexes=[0])]
        request = OffsetFetchRequest(group_id=GROUP, topics=topics)
        answer = self.ask(broker_id, request, 5, OffsetFetchResponse)
        found = answer.topics[0].partitions[0].committed_offset if answer.topics else None
        return ErrorCode(answer.error_code), found


def test_committed_offsets_are_known_to_each_new_coordinator() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        brokers = Brokers(cluster)
        coordinator = brokers.find()
        for offset in range(4):
            assert cluster.coordinator_of(group=GROUP) == coordinator
            assert brokers.commit(coordinator, offset) is ErrorCode.NONE
            moved_to = cluster.move_coordinator(group=GROUP)
            assert moved_to == brokers.find() != coordinator
            assert brokers.committed(moved_to) == (ErrorCode.NONE, offset)
            assert brokers.commit(coordinator, 99) is ErrorCode.NOT_COORDINATOR
            assert brokers.committed(coordinator)[0] is ErrorCode.NOT_COORDINATOR
            coordinator = moved_to


def test_the_only_broker_coordinates_again_as_after_a_restart() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        brokers = Brokers(cluster)
        assert brokers.find() == 1
        assert brokers.commit(1, 5) is ErrorCode.NONE
        assert cluster.move_coordinator(group=GROUP) == 1
        assert brokers.committed(1) == (ErrorCode.NONE, 5)


def test_a_coordinator_is_that_of_an_id_or_of_a_group() -> None:
    with Cluster() as cluster:
        with pytest.raises(LookupError, match="__consumer_offsets"):
            cluster.coordinator_of(group=GROUP)
        with pytest.raises(ValueError, match="name a transactional id"):
            cluster.coordinator_of()
        with pytest.raises(ValueError, match="name a transactional id"):
            cluster.move_coordinator("orders-svc", group=GROUP)

"""The programs that make the golden journals of consumers that read and commit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mockbroker import API, Cluster
from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
)
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from tests.audit.golden.making import Producer, check, running
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember
from tests.support.requests import fetch
from tests.support.wire import broker_client, leader_client

_PLENTY: Final = 1 << 20


class Reader(ConsumerMember):
    """The member of a group that reads `orders-0`, and commits what a test wants it to."""

    def __init__(self, cluster: Cluster, member_id: str = "reader") -> None:
        """Join the group, and own the partition."""
        super().__init__(cluster, member_id)
        self._brokers = cluster
        check(self.join(), self.beat())
        assert self.owned == [0], self.owned

    def read(self, *offsets: int, isolation_level: int = 0) -> None:
        """Fetch from each of these offsets, over one connection."""
        with leader_client(self._brokers) as client:
            for offset in offsets:
                request = fetch(offset=offset, min_bytes=0, max_bytes=_PLENTY)
                request.isolation_level = isolation_level
                request.topics[0].partitions[0].partition_max_bytes = _PLENTY
                (topic,) = client.ask(request, 11, FetchResponse).responses
                check(ErrorCode(topic.partitions[0].error_code))

    def commit(self, offset: int) -> None:
        """Commit an offset as a member."""
        partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset)
        request = OffsetCommitRequest(
            group_id=GROUP,
            generation_id_or_member_epoch=self.epoch,
            member_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name="orders", partitions=[partition])],
        )
        with broker_client(self._brokers, self._brokers.coordinator_of(group=GROUP)) as client:
            answer = client.ask(request, 9, OffsetCommitResponse)
        check(ErrorCode(answer.topics[0].partitions[0].error_code))

    def commit_in_transaction(self, producer: Producer, offset: int) -> None:
        """Commit an offset in the transaction of a producer."""
        assert producer.transactional_id is not None
        added = AddOffsetsToTxnRequest(
            transactional_id=producer.transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            group_id=GROUP,
        )
        partition = TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=offset)
        request = TxnOffsetCommitRequest(
            transactional_id=producer.transactional_id,
            group_id=GROUP,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            generation_id_or_member_epoch=self.epoch,
            member_id=self.member_id,
            topics=[TxnOffsetCommitRequestTopic(name="orders", partitions=[partition])],
        )
        at_home = self._brokers.coordinator_of(producer.transactional_id)
        with broker_client(self._brokers, at_home) as client:
            check(ErrorCode(client.ask(added, 3, AddOffsetsToTxnResponse).error_code))
        with broker_client(self._brokers, self._brokers.coordinator_of(group=GROUP)) as client:
            answer = client.ask(request, 3, TxnOffsetCommitResponse)
        check(ErrorCode(answer.topics[0].partitions[0].error_code))


@contextmanager
def _reading(records: int = 2) -> Iterator[tuple[Cluster, Reader]]:
    """Run a cluster with records, and a member that reads them."""
    with running(**AT_ONCE) as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(*(producer.send(-1) for _ in range(records)))
        yield cluster, Reader(cluster)


def committed_beyond(breaks: bool) -> list[Entry]:
    """A reader commits an offset that the log does not have yet, or the last one that it has."""
    with _reading() as (cluster, reader):
        reader.read(0)
        reader.commit(5 if breaks else 2)
        return cluster.journal.entries()


def committed_backwards(breaks: bool) -> list[Entry]:
    """A reader commits an older offset after a newer one, or has gone back to read from there."""
    with _reading(3) as (cluster, reader):
        reader.read(*((0, 2, 3) if breaks else (0, 3, 1)))
        for offset in (2, 1, 3):
            reader.commit(offset)
        return cluster.journal.entries()


def aborted_after_delivery(breaks: bool) -> list[Entry]:
    """A reader gets records of an open transaction, which is aborted or committed then."""
    with (
        running(**AT_ONCE) as cluster,
        Producer(cluster.bootstrap_servers, "svc") as producer,
    ):
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0), producer.send(1))
        reader = Reader(cluster)
        reader.read(0, isolation_level=0)
        check(producer.abort() if breaks else producer.commit())
        return cluster.journal.entries()


def committed_outside(breaks: bool) -> list[Entry]:
    """A reader commits offsets in a transaction, and the next ones outside, or in another one."""
    with (
        running(partitions="1", **AT_ONCE) as cluster,
        Producer(cluster.bootstrap_servers, "svc") as producer,
    ):
        cluster.create_topic("payments")
        with Producer(cluster.bootstrap_servers) as other:
            check(*(other.send(-1) for _ in range(2)))
        reader = Reader(cluster)
        check(producer.init_producer_id())
        for offset in (1, 2):
            reader.read(offset - 1)
            check(producer.add_partition("payments"), producer.send(offset - 1, topic="payments"))
            if breaks and offset == 2:
                reader.commit(offset)
            else:
                reader.commit_in_transaction(producer, offset)
            check(producer.commit())
        return cluster.journal.entries()


def committed_unread(breaks: bool) -> list[Entry]:
    """A reader skips records and commits the end, or skips those that have been removed."""
    with _reading(1) as (cluster, reader), Producer(cluster.bootstrap_servers) as producer:
        reader.read(0)
        reader.commit(1)
        check(*(producer.send(-1) for _ in range(3)))
        if not breaks:
            cluster.partition("orders", 0).delete_records(3)
        reader.read(3)
        reader.commit(4)
        return cluster.journal.entries()


def order_changed(breaks: bool) -> list[Entry]:
    """A batch is refused, and sent again after the next one, or before it."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.send(-1))
        cluster.fault(API.PRODUCE).answer(ErrorCode.NOT_ENOUGH_REPLICAS).once()
        check(producer.send(-1, b"first"), expected=ErrorCode.NOT_ENOUGH_REPLICAS)
        check(*(producer.send(-1, each) for each in sorted([b"first", b"next"], reverse=breaks)))
        return cluster.journal.entries()

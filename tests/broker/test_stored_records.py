"""Records that readers of both isolation levels find in a log."""

import pytest

from mockbroker import Cluster
from mockbroker.broker.stored_records import (
    IsolationLevel,
    StoredRecord,
    partitions_of,
    stored_records,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.wire import WireProducer
from tests.support.faults import VERSION, produce_to
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers


def values(brokers: Brokers, isolation: IsolationLevel, index: int = 0) -> list[bytes | None]:
    partition = brokers.partition("orders", index)
    return [record.value for record in stored_records(brokers.state, partition, isolation, NOW_MS)]


def transact(transactor: Transactor, *batches: bytes, committed: bool | None) -> None:
    transactor.add(0)
    for value in batches:
        transactor.write(0, value)
    if committed is not None:
        transactor.end(committed=committed)
        transactor.brokers.loop.run()


@pytest.fixture
def brokers() -> Brokers:
    return new_brokers()


def test_committed_readers_see_no_aborted_and_no_open_transaction(brokers: Brokers) -> None:
    transactor = Transactor(brokers)
    transactor.init()
    transact(transactor, b"a", b"b", committed=True)
    transact(transactor, b"c", b"d", committed=False)
    transact(transactor, b"e", committed=True)
    transact(transactor, b"f", committed=None)
    assert values(brokers, "read_committed") == [b"a", b"b", b"e"]
    assert values(brokers, "read_uncommitted") == [b"a", b"b", b"c", b"d", b"e", b"f"]
    assert values(brokers, "read_committed", 1) == []


def test_interleaved_transactions_of_several_producers_are_read_separately(
    brokers: Brokers,
) -> None:
    first, second = Transactor(brokers, "first"), Transactor(brokers, "second")
    for transactor in (first, second):
        transactor.init()
        transact(transactor, transactor.transactional_id.encode(), committed=None)
    transact(first, b"first again", committed=False)
    transact(second, b"second again", committed=True)
    assert values(brokers, "read_committed") == [b"second", b"second again"]


def test_a_record_has_its_position_and_producer(brokers: Brokers) -> None:
    transactor = Transactor(brokers)
    transactor.init()
    transact(transactor, b"a", b"b", committed=True)
    partition = brokers.partition("orders")
    _, second = stored_records(brokers.state, partition, "read_committed", NOW_MS)
    assert second == StoredRecord(
        topic="orders",
        partition=0,
        offset=1,
        timestamp_ms=NOW_MS,
        key=None,
        value=b"b",
        headers=(),
        producer_id=transactor.producer_id,
        producer_epoch=transactor.producer_epoch,
        sequence=1,
        is_transactional=True,
    )


def test_a_record_without_a_producer_has_id_minus_one(brokers: Brokers) -> None:
    brokers.ask(produce_to(0), VERSION, ProduceResponse)
    (record,) = stored_records(brokers.state, brokers.partition("orders"), "read_committed", NOW_MS)
    assert (record.producer_id, record.sequence, record.is_transactional) == (
        NO_PRODUCER_ID, -1, False,
    )  # fmt: skip


def test_partitions_are_all_or_the_one_that_is_named(brokers: Brokers) -> None:
    assert len(partitions_of(brokers.state, "orders", None)) == 3
    assert [p.topic_partition.partition for p in partitions_of(brokers.state, "orders", 2)] == [2]
    for topic, index, missing in (("nobody", None, "topic 'nobody'"), ("orders", 9, "orders-9")):
        with pytest.raises(LookupError, match=f"there is no .*{missing}"):
            partitions_of(brokers.state, topic, index)


def test_records_before_the_start_of_the_log_are_gone_also_inside_a_batch() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.produce("orders", b"a", b"b", b"c", base_sequence=-1)
        cluster.partition("orders", 0).delete_records(1)
        assert [record.value for record in cluster.records("orders")] == [b"b", b"c"]


def test_a_cluster_shows_its_records() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        assert cluster.records("orders") == cluster.records("orders", 1) == []
        with pytest.raises(ValueError, match="isolation='committed': allowed are read_uncommitted"):
            cluster.records("orders", isolation="committed")  # type: ignore[arg-type]
        with pytest.raises(LookupError, match="no topic 'nobody'"):
            cluster.records("nobody")

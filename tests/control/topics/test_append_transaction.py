"""Transactions of records that a test appends without a client."""

from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, Message

from mockbroker import ERR, ApiError, Cluster
from mockbroker.wire import WireProducer

TIMEOUT_S = 20


def read(cluster: Cluster, count: int) -> list[Message]:
    """Read committed records of `orders` with librdkafka."""
    settings = {"group.id": "g", "auto.offset.reset": "earliest"}
    consumer = Consumer(cluster.client_config("confluent", **settings))
    try:
        consumer.subscribe(["orders"])
        return consumer.consume(count, timeout=TIMEOUT_S)
    finally:
        consumer.close()


def test_an_aborted_record_is_read_uncommitted_only() -> None:
    with Cluster(topics=["orders"]) as cluster:
        transaction = cluster.begin_transaction("svc")
        assert transaction.append("orders", "gone").offset == 0
        assert cluster.transaction("svc").state == "Ongoing"
        transaction.abort()
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "kept")
        assert [message.value() for message in read(cluster, 1)] == [b"kept"]
        cluster.assert_committed("svc")
        cluster.assert_exactly_once()
        assert [record.value for record in cluster.records("orders")] == [b"gone", b"kept"]


@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
def test_a_transaction_fences_the_producer_before_it(
    make_mockbroker: Callable[..., Cluster], kafka: str
) -> None:
    cluster = make_mockbroker(kafka=kafka, topics=["orders"])
    with WireProducer(cluster.bootstrap_servers, "svc") as zombie:
        zombie.init_producer_id()
        zombie.add_partition("orders")
        zombie.produce("orders", b"zombie's", base_sequence=0)
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "new")
        assert zombie.commit() in {ERR.PRODUCER_FENCED, ERR.INVALID_PRODUCER_EPOCH}
    committed = cluster.records("orders", isolation="read_committed")
    assert [record.value for record in committed] == [b"new"]
    old = cluster.begin_transaction("svc")
    old.append("orders", "old")
    with cluster.begin_transaction("svc") as transaction:
        transaction.append("orders", "newer")
    with pytest.raises(ApiError, match=r"PRODUCER_FENCED|INVALID_PRODUCER_EPOCH"):
        old.commit()
    assert "refused" in repr(old)


def test_a_transaction_that_has_ended_takes_no_more_records() -> None:
    with Cluster(topics=["orders"]) as cluster:
        with cluster.begin_transaction("svc") as transaction:
            assert repr(transaction) == "<AppendTransaction 'svc' producer 0 epoch 0, open>"
            transaction.append("orders", "x")
            transaction.commit()
        with pytest.raises(RuntimeError, match="the transaction of 'svc' is committed"):
            transaction.append("orders", "y")
        with pytest.raises(RuntimeError, match="the transaction of 'svc' is committed"):
            transaction.abort()
        assert len(cluster.records("orders")) == 1


def fail_after_being_fenced(cluster: Cluster, *, by_the_leader: bool) -> None:
    """Leave the block of a fenced transaction with an exception."""
    with cluster.begin_transaction("svc") as transaction:
        transaction.append("orders", "x")
        cluster.begin_transaction("svc").abort()
        if by_the_leader:
            transaction.append("orders", "y")
        raise ValueError("the test's own")


def test_an_exception_of_the_block_is_raised_though_the_abort_is_refused() -> None:
    with Cluster(topics=["orders"]) as cluster:
        with pytest.raises(ValueError, match="the test's own") as raised:
            fail_after_being_fenced(cluster, by_the_leader=False)
        (note,) = raised.value.__notes__
        assert note.startswith("the transaction could not be aborted: PRODUCER_FENCED: EndTxn")
        with pytest.raises(ApiError, match="INVALID_PRODUCER_EPOCH: refused by orders-0"):
            fail_after_being_fenced(cluster, by_the_leader=True)
        cluster.assert_no_open_transactions()


def test_a_transaction_without_records_ends_quietly() -> None:
    with Cluster() as cluster:
        with cluster.begin_transaction("svc") as transaction:
            pass
        assert "committed" in repr(transaction)
        cluster.assert_no_open_transactions()


def test_a_transaction_goes_on_at_another_coordinator() -> None:
    config = {"transaction.state.log.replication.factor": 2}
    with Cluster(brokers=2, topics=["orders"], config=config) as cluster:
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "x")
            cluster.move_coordinator("svc")
        assert len(cluster.records("orders", isolation="read_committed")) == 1

"""Assertions about a cluster, each of which is seen to hold and to fail."""

import pytest

from mockbroker import Cluster
from mockbroker.ledger.finding import ClusterAssertionError
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer


def write(producer: WireProducer, *values: bytes, base_sequence: int) -> None:
    assert producer.add_partition("orders") is ErrorCode.NONE
    assert producer.produce("orders", *values, base_sequence=base_sequence).error is ErrorCode.NONE


def test_a_batch_behind_the_end_of_its_transaction_hangs() -> None:
    with (
        Cluster(topics={"orders": 1}, kafka="2.8") as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"in time", base_sequence=0)
        producer.abort()
        cluster.assert_no_hanging_transactions()
        cluster.assert_no_open_transactions()
        producer.produce("orders", b"late", base_sequence=1)
        with pytest.raises(ClusterAssertionError) as failure:
            cluster.assert_no_hanging_transactions()
        assert "open since offset 2 that no coordinator knows of" in str(failure.value)
        assert "HANGING from offset 2 on: producer 0 epoch 0" in str(failure.value)
        with pytest.raises(ClusterAssertionError, match="since offset 2"):
            cluster.assert_no_open_transactions()


def test_a_transaction_is_open_until_it_is_ended() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        (opened,) = cluster.open_transactions()
        assert (opened.transactional_id, opened.first_offset) == ("svc", 0)
        cluster.assert_no_hanging_transactions()
        with pytest.raises(ClusterAssertionError, match=r"'svc' .* is Ongoing, with data from"):
            cluster.assert_no_open_transactions()
        producer.commit()
        cluster.assert_no_open_transactions()


def test_the_epoch_of_a_transactional_id_is_asserted() -> None:
    with (
        Cluster() as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as old,
        WireProducer(cluster.bootstrap_servers, "svc") as new,
    ):
        old.init_producer_id()
        cluster.assert_producer_epoch("svc", 0)
        new.init_producer_id()
        cluster.assert_producer_epoch("svc", producer_epoch=1)
        with pytest.raises(ClusterAssertionError, match=r"'svc' is at producer epoch 1 .*, not 0"):
            cluster.assert_producer_epoch("svc", 0)
        with pytest.raises(LookupError, match="no coordinator knows 'other'"):
            cluster.assert_producer_epoch("other", 0)


def test_lanes_are_drawn_of_what_is_asked_for() -> None:
    with (
        Cluster(topics={"orders": 2, "payments": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        producer.commit()
        assert cluster.lanes().startswith("orders-0  leader 1, leader epoch 0\n")
        assert "(2 more without a record)" in cluster.lanes()
        assert cluster.lanes("orders", 1).startswith("orders-1")
        assert "__transaction_state" in cluster.lanes("__transaction_state")
        with pytest.raises(LookupError, match="no topic 'nowhere'"):
            cluster.lanes("nowhere")

"""Inspection of a transactional id in a running cluster."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.wire import WireProducer
from tests.support.notebook import notebook_html


def in_transaction(cluster: Cluster, producer: WireProducer) -> None:
    producer.init_producer_id()
    for partition in (0, 1):
        assert producer.add_partition("orders", partition) is ErrorCode.NONE
        producer.produce("orders", b"value", base_sequence=0, index=partition)


def test_a_transaction_handle_shows_the_coordinators_state() -> None:
    with (
        Cluster(topics={"orders": 2}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        transaction = cluster.transaction("mine")
        with pytest.raises(LookupError, match="no coordinator yet"):
            _ = transaction.state
        in_transaction(cluster, producer)
        assert (transaction.state, transaction.producer_epoch) == ("Ongoing", 0)
        assert transaction.producer_id == producer.producer_id
        assert transaction.partitions == (("orders", 0), ("orders", 1))
        assert repr(transaction).startswith("<TransactionHandle 'mine': state=")
        with pytest.raises(LookupError, match="no coordinator knows 'yours'"):
            _ = cluster.transaction("yours").partitions


def test_a_held_ending_is_done_step_by_step() -> None:
    with (
        Cluster(topics={"orders": 2}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        in_transaction(cluster, producer)
        transaction = cluster.transaction("mine")
        transaction.hold_ending()
        assert producer.commit() is ErrorCode.NONE
        assert transaction.state == "PrepareCommit"
        assert producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS
        assert cluster.records("orders", isolation="read_committed") == []

        assert transaction.step() == "WriteTxnMarkers mine orders-0"
        assert transaction.partitions == (("orders", 1),)
        assert len(cluster.records("orders", isolation="read_committed")) == 1
        cluster.move_coordinator("mine")
        assert transaction.state == "PrepareCommit"

        transaction.release()
        assert transaction.state == "CompleteCommit"
        assert transaction.step() is None
        assert len(cluster.records("orders", isolation="read_committed")) == 2


def test_the_marker_of_one_partition_can_be_held() -> None:
    with (
        Cluster(topics={"orders": 2}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        in_transaction(cluster, producer)
        transaction = cluster.transaction("mine")
        transaction.hold_ending("orders", 1)
        assert producer.abort() is ErrorCode.NONE
        assert (transaction.state, transaction.partitions) == ("PrepareAbort", (("orders", 1),))
        transaction.release()
        assert transaction.state == "CompleteAbort"
        with pytest.raises(ValueError, match="a topic and a partition, or neither"):
            transaction.hold_ending("orders")


def test_a_transaction_is_aborted_without_its_producer() -> None:
    with (
        Cluster(topics={"orders": 2}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        in_transaction(cluster, producer)
        transaction = cluster.transaction("mine")
        transaction.abort()
        assert (transaction.state, transaction.partitions) == ("CompleteAbort", ())
        assert transaction.producer_epoch > 0
        with pytest.raises(ApiError, match="'mine' is CompleteAbort"):
            transaction.abort()
        with pytest.raises(LookupError, match="no coordinator knows 'yours'"):
            cluster.transaction("yours").abort()
        assert not cluster.records("orders", isolation="read_committed")


@pytest.mark.parametrize("has_journal", [True, False])
def test_a_transactional_id_is_drawn_in_a_file_and_in_a_notebook(*, has_journal: bool) -> None:
    with (
        Cluster(topics={"orders": 2}, journal=has_journal or None) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        in_transaction(cluster, producer)
        picture = cluster.transaction("mine").to_svg()
        assert "open in orders-0, orders-1" in picture
        assert ('data-seq="' in picture) == has_journal
        assert notebook_html(cluster.transaction("mine")).endswith(f"</table>{picture}")

"""Transactions and producers as they are shown."""

from mockbroker import Cluster
from mockbroker.http.documents.transaction_view import (
    hangings_view,
    producers_view,
    transaction_view,
    transactions_view,
)
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.wire import WireProducer


def test_an_open_transaction_shows_where_it_is_open() -> None:
    with (
        Cluster(topics={"orders": 2}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders", 1)
        producer.produce("orders", b"one", base_sequence=0, index=1)
        (known,) = cluster.look(lambda state, _now_ms: transactions_view(state).transactions)
        (seen,) = cluster.look(lambda state, _now_ms: producers_view(state).producers)
        hanging = cluster.look(lambda state, _now_ms: hangings_view(state).hanging)
    assert (known.transactional_id, known.state) == ("mine", "Ongoing")
    assert [(each.topic, each.partition) for each in known.partitions] == [("orders", 1)]
    assert known.started_at_ms is not None
    assert (seen.topic, seen.partition, seen.transaction_first_offset) == ("orders", 1, 0)
    assert hanging == []


def test_a_transactional_id_without_a_transaction_has_not_started_one() -> None:
    metadata = TransactionMetadata.new("mine", 7, timeout_ms=1, now_ms=5)
    shown = transaction_view(1, metadata)
    assert (shown.started_at_ms, shown.updated_at_ms, shown.pending_state) == (None, 5, None)

"""Transactions that coordinators know, and the notes on those that are open in a log."""

from mockbroker import Cluster
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.timeline.known_transactions import (
    KnownTransactions,
    known_transactions,
    open_notes,
)
from mockbroker.wire import WireProducer
from tests.state.log_building import append, partition_log, transactional

NOTHING = KnownTransactions({}, {})


def test_a_transaction_that_no_coordinator_knows_hangs() -> None:
    log = partition_log()
    append(log)
    append(log, transactional(0))
    assert NOTHING.is_hanging(7, log.topic_partition)
    (note,) = open_notes(log, NOTHING)
    assert note.startswith("HANGING from offset 1 on: producer 7, unknown to every coordinator")


def test_coordinators_name_the_owners_of_producer_ids() -> None:
    place = TopicPartition("orders", 0)
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "billing") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")

        def look(state: ClusterState, now_ms: int) -> tuple[KnownTransactions, list[str]]:
            partition = state.partition("orders", 0)
            assert partition is not None
            known = known_transactions(state)
            return known, list(open_notes(state.log_of(partition, now_ms), known))

        known, notes = cluster.look(look)
        producer_id = producer.producer_id
    assert known.transactional_ids == {producer_id: "billing"}
    assert not known.is_hanging(producer_id, place)
    assert known.is_hanging(producer_id, TopicPartition("orders", 1))
    assert notes == [f"open without data: producer {producer_id} epoch 0, 'billing' (Ongoing)"]

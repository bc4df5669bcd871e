"""Open transactions in logs and at coordinators."""

from mockbroker.state.transaction.open_transactions import OpenTransaction, open_transactions
from tests.state.transaction.test_hanging_transactions import (
    NOW_MS,
    ORDERS,
    started,
    write,
)


def test_a_transaction_is_open_from_its_partitions_being_added_to_its_markers() -> None:
    cluster, coordinator = started()
    producer = coordinator.init_producer_id("svc", 60_000, NOW_MS)
    assert open_transactions(cluster) == []
    coordinator.add_partitions_to_transaction("svc", producer, {ORDERS}, NOW_MS)
    added = OpenTransaction("orders", 0, producer.producer_id, 0, -1, "svc", "Ongoing")
    assert open_transactions(cluster) == [added]
    write(cluster, producer.producer_id, 0)
    assert open_transactions(cluster) == [added._replace(first_offset=0)]
    coordinator.end_transaction("svc", producer, is_commit=True, now_ms=NOW_MS)
    (ending,) = open_transactions(cluster)
    assert (ending.state, ending.is_hanging) == ("PrepareCommit", False)
    cluster.run_pending(NOW_MS)
    assert open_transactions(cluster) == []


def test_a_transaction_without_a_coordinator_is_open_and_hangs() -> None:
    cluster, _ = started()
    write(cluster, 7, 0)
    (hanging,) = open_transactions(cluster)
    assert hanging == OpenTransaction("orders", 0, 7, 0, 0, None, None)
    assert hanging.is_hanging

"""Requests of a test that go to the handlers, past sockets, faults and rights."""

import threading

import pytest

from mockbroker import API, ApiError, AppendedRecord, Cluster

TIMEOUT_S = 20


def test_faults_and_rights_do_not_touch_appended_records() -> None:
    config = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
    with Cluster(topics=["orders"], config=config) as cluster:
        fault = cluster.fault(API.PRODUCE).answer("NOT_LEADER_OR_FOLLOWER")
        cluster.append("orders", "x")
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "y")
        assert (fault.calls, len(cluster.records("orders"))) == (0, 2)


def test_journal_and_ledger_have_appended_records(mockbroker: Cluster) -> None:
    mockbroker.append("orders", "x")
    (batch,) = mockbroker.sent_batches("orders")
    assert (batch.client_id, batch.base_offset, batch.answer) == (
        "mockbroker-append",
        0,
        "acknowledged",
    )
    produced = mockbroker.journal.find(kind="request", api=API.PRODUCE)
    assert [entry.client_id for entry in produced] == ["mockbroker-append"]
    mockbroker.reset()
    assert mockbroker.append("orders", "x").offset == 0


def test_a_held_ending_is_the_error_of_the_next_transaction() -> None:
    with Cluster(topics=["orders"]) as cluster:
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "x")
            cluster.transaction("svc").hold_ending()
        with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS: InitProducerId of 'svc'"):
            cluster.begin_transaction("svc")
        cluster.transaction("svc").release()
        cluster.begin_transaction("svc").abort()


def test_an_append_waits_while_its_leader_asks_the_coordinator() -> None:
    with Cluster(topics=["orders"]) as cluster:
        held = cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True).hold()
        transaction = cluster.begin_transaction("svc")
        appended: list[AppendedRecord] = []
        append = threading.Thread(target=lambda: appended.append(transaction.append("orders", "x")))
        append.start()
        held.wait_held()
        assert not appended
        held.release()
        append.join(TIMEOUT_S)
        assert [each.offset for each in appended] == [0]
        transaction.commit()


@pytest.mark.asyncio
async def test_an_append_does_not_wait_on_the_clusters_own_loop() -> None:
    async with Cluster(topics=["orders"]) as cluster:
        held = cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True).hold()
        transaction = cluster.begin_transaction("svc")
        with pytest.raises(RuntimeError, match="this call would block its own event loop"):
            transaction.append("orders", "x")
        held.remove()

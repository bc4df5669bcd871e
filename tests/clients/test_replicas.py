"""Clients whose retries reach a replica with a log of its own."""

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition

from mockbroker import API, Cluster, Release
from mockbroker.state.producer.producer_recovery import KeptSnapshot
from tests.clients.support.deadline import TIMEOUT_S

pytestmark = pytest.mark.slow

QUICK = {"reconnect.backoff.max.ms": 100, "retry.backoff.ms": 20}
REPLICATED = {"default.replication.factor": "2", "min.insync.replicas": "1"}


def running(kafka: Release = "4.4") -> Cluster:
    return Cluster(kafka=kafka, brokers=2, topics={"orders": 1}, config=REPLICATED)


def idempotent(cluster: Cluster) -> Producer:
    return Producer(cluster.client_config("confluent", **{"enable.idempotence": True}, **QUICK))


def values(cluster: Cluster) -> list[bytes | None]:
    return [record.value for record in cluster.records("orders")]


@pytest.mark.parametrize("kafka", ["2.4", "2.8", "4.4"])
def test_the_replica_of_a_killed_leader_recognises_a_retry_of_a_deleted_record(
    kafka: Release,
) -> None:
    with running(kafka) as cluster:
        orders = cluster.partition("orders", 0)
        leader, follower = orders.replicas
        producer = idempotent(cluster)
        producer.produce("orders", b"order-1")
        assert producer.flush(TIMEOUT_S) == 0

        cluster.fault(API.PRODUCE).lose_response().once()
        retry = cluster.fault(API.PRODUCE, broker=leader).hold().on_call(2)
        reports: list[int | None] = []

        def report(_error: object, message: Message) -> None:
            reports.append(message.offset())

        producer.produce("orders", b"order-2", on_delivery=report)
        producer.poll(0)
        retry.wait_held()
        orders.delete_records()
        cluster.kill(leader)
        assert producer.flush(TIMEOUT_S) == 0
        assert (orders.leader, orders.log_end_offset) == (follower, 2)
        assert reports == [1]  # before the log start, and not written again


@pytest.mark.parametrize(("snapshot", "copies"), [("full", 1), ("none", 2)])
def test_a_restarted_leader_without_its_snapshot_writes_a_retry_again(
    snapshot: KeptSnapshot, copies: int
) -> None:
    with running() as cluster:
        orders = cluster.partition("orders", 0)
        leader, _follower = orders.replicas
        producer = idempotent(cluster)
        cluster.fault(API.PRODUCE).lose_response().once()
        retry = cluster.fault(API.PRODUCE, broker=leader).hold().on_call(2)
        producer.produce("orders", b"order-1")
        producer.poll(0)
        retry.wait_held()
        cluster.lag(2 if leader == 1 else 1)
        orders.replica(leader).reload_producers(snapshot)
        cluster.catch_up(2 if leader == 1 else 1)
        retry.release()
        assert producer.flush(TIMEOUT_S) == 0
        assert values(cluster) == [b"order-1"] * copies


def test_a_consumer_finds_deleted_records_at_a_leader_that_missed_the_deletion() -> None:
    with running() as cluster:
        orders = cluster.partition("orders", 0)
        leader, follower = orders.replicas
        producer = idempotent(cluster)
        for number in range(3):
            producer.produce("orders", b"order-%d" % number)
        assert producer.flush(TIMEOUT_S) == 0
        cluster.lag(follower)
        orders.delete_records()
        assert values(cluster) == []
        cluster.kill(leader)
        consumer = Consumer(
            cluster.client_config(
                "confluent", **{"group.id": "readers", "auto.offset.reset": "earliest"}, **QUICK
            )
        )
        consumer.assign([TopicPartition("orders", 0)])
        found = consumer.consume(3, timeout=TIMEOUT_S)
        consumer.close()
        assert [message.value() for message in found] == [b"order-0", b"order-1", b"order-2"]

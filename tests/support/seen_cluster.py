"""A cluster in which there is something of everything to see."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from mockbroker import API, Cluster
from mockbroker.protocol.records.batch import build_batch, parse_batch_header
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.wire import WireProducer
from tests.support.consumer_members import AT_ONCE, ConsumerMember

HANGING_OFFSET: Final = 7
EAGER: Final = {**AT_ONCE, "transaction.partition.verification.enable": "false"}
"""Groups rebalance at once, and a client can open a transaction that its coordinator forgot."""


@contextmanager
def seen_cluster() -> Generator[Cluster]:
    """Start a cluster with traffic: committed, open and hanging transactions, a group, faults."""
    with Cluster(
        brokers=3,
        topics={"orders": 3, "payments": 2},
        config=EAGER,
        journal=True,
        admin_port=0,
    ) as cluster:
        commit(cluster, "billing", records=2)
        commit(cluster, "shipping", records=1)
        hang(cluster)
        open_transaction(cluster, "open")
        member = ConsumerMember(cluster, "reader-1")
        member.join()
        member.beat()
        cluster.fault(API.PRODUCE, topic="payments", name="lost-ack").lose_response().once()
        cluster.fault(API.HEARTBEAT, name="slow-heart").delay("20ms").every_time()
        yield cluster


def commit(cluster: Cluster, transactional_id: str, records: int = 1) -> None:
    """Commit a transaction with records in `orders`."""
    with WireProducer(
        cluster.bootstrap_servers, transactional_id, transaction_version=1
    ) as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        for number in range(records):
            producer.produce(
                "orders", f"{transactional_id}-{number}".encode(), base_sequence=number
            )
        producer.commit()
    cluster.look(lambda _state, _now_ms: None)  # what follows an answer is done by now


def store_batch(cluster: Cluster, *records: Record) -> None:
    """Append a batch to `orders-0`."""
    batch = build_batch(records)

    def store(state: ClusterState, now_ms: int) -> None:
        log = state.log_of(state.topics.by_name["orders"].partitions[0], now_ms)
        log.append_checked(parse_batch_header(batch), bytearray(batch), 0, now_ms, 0)

    cluster.look(store)


def hang(cluster: Cluster, transactional_id: str = "lost") -> None:
    """Leave a transaction in `orders` that no coordinator will end (KAFKA-9144)."""
    with WireProducer(
        cluster.bootstrap_servers, transactional_id, transaction_version=0
    ) as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"first", base_sequence=0)
        producer.abort()
        cluster.look(lambda _state, _now_ms: None)
        producer.produce("orders", b"late", base_sequence=1)


def open_transaction(cluster: Cluster, transactional_id: str) -> None:
    """Leave a transaction in `payments` open."""
    with WireProducer(
        cluster.bootstrap_servers, transactional_id, transaction_version=1
    ) as producer:
        producer.init_producer_id()
        producer.add_partition("payments")
        producer.produce("payments", b"half", base_sequence=0)

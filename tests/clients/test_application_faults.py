"""Faults of applications on real clients, and what the audit finds; their twins break no rule."""

import json
from collections.abc import Callable, Container, Generator, Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from mockbroker import API, Cluster
from mockbroker.audit import Finding
from mockbroker.journal.entry import Entry
from tests.clients.support.deadline import TIMEOUT_S

pytestmark = pytest.mark.slow

ORDERS: Final = "orders"
RECORDS: Final = 4


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Run a cluster with four records."""
    with Cluster(topics={ORDERS: 1, "payments": 1}, journal=True) as cluster:
        for number in range(RECORDS):
            producer = Producer(cluster.client_config("confluent"))
            producer.produce(ORDERS, b"order-%d" % number)
            assert producer.flush(TIMEOUT_S) == 0
        yield cluster


@contextmanager
def reading(
    cluster: Cluster,
    group: str = "billing",
    on_assign: Callable[[Consumer, list[TopicPartition]], None] | None = None,
    reset: str = "earliest",
    client_id: str | None = None,
) -> Generator[Consumer]:
    """Have a member of a group own the partition of `orders`."""
    offsets = {"group.id": group, "auto.offset.reset": reset, "enable.auto.commit": False}
    offsets["client.id"] = client_id or group
    consumer = Consumer({**cluster.client_config("confluent"), **offsets})
    if on_assign is None:
        consumer.subscribe([ORDERS])
    else:
        consumer.subscribe([ORDERS], on_assign=on_assign)
    try:
        yield consumer
    finally:
        consumer.close()


def read(consumer: Consumer, count: int) -> None:
    """Read a number of records."""
    for _ in range(count):
        message = consumer.poll(TIMEOUT_S)
        assert message is not None
        assert message.error() is None, message.error()


def commit(consumer: Consumer, offset: int) -> None:
    """Commit an offset."""
    offsets = [TopicPartition(ORDERS, 0, offset)]
    (done,) = consumer.commit(offsets=offsets, asynchronous=False)
    assert done.error is None


def found_in(cluster: Cluster) -> list[Finding]:
    """Judge the cluster's journal."""
    return list(cluster.audit().findings)


def test_a_consumer_that_commits_what_it_has_read_breaks_no_rule(cluster: Cluster) -> None:
    with reading(cluster) as consumer:
        for offset in range(1, RECORDS + 1):
            read(consumer, 1)
            commit(consumer, offset)
    assert found_in(cluster) == []


def test_an_offset_that_the_log_does_not_have_yet_is_found(cluster: Cluster) -> None:
    with reading(cluster) as consumer:
        read(consumer, RECORDS)
        commit(consumer, 2 * RECORDS)
    (finding,) = found_in(cluster)
    assert (finding.rule, finding.first_offset, finding.last_offset) == (
        *("COMMITTED_BEYOND_LOG", RECORDS, 2 * RECORDS - 1),
    )


def test_an_older_offset_after_a_newer_one_is_found(cluster: Cluster) -> None:
    with reading(cluster) as consumer:
        read(consumer, RECORDS)
        commit(consumer, RECORDS)
        commit(consumer, 1)
    (finding,) = found_in(cluster)
    assert (finding.rule, finding.first_offset) == ("COMMITTED_BACKWARDS", 1)


def test_a_consumer_that_goes_back_breaks_no_rule(cluster: Cluster) -> None:
    with reading(cluster) as consumer:
        read(consumer, RECORDS)
        commit(consumer, RECORDS)
        consumer.seek(TopicPartition(ORDERS, 0, 1))
        read(consumer, 1)
        commit(consumer, 2)
    assert found_in(cluster) == []


@pytest.mark.parametrize("client_id", [None, "rdkafka"])
def test_groups_that_go_back_beside_one_another_break_no_rule(
    cluster: Cluster, client_id: str | None
) -> None:
    with (
        reading(cluster, client_id=client_id) as billing,
        reading(cluster, "shipping", client_id=client_id) as shipping,
    ):
        for consumer in (billing, shipping):
            read(consumer, RECORDS)
            commit(consumer, RECORDS)
        for consumer in (billing, shipping):
            consumer.seek(TopicPartition(ORDERS, 0, 0))
            read(consumer, 2)
        for consumer in (billing, shipping):
            commit(consumer, 2)
    assert found_in(cluster) == []


def test_a_consumer_that_commits_where_it_will_begin_breaks_no_rule(cluster: Cluster) -> None:
    def from_the_beginning(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            each.offset = 0
        consumer.assign(partitions)
        consumer.commit(offsets=partitions, asynchronous=False)

    with reading(cluster) as consumer:
        read(consumer, RECORDS)
        commit(consumer, RECORDS)
    with reading(cluster, on_assign=from_the_beginning, client_id="again") as consumer:
        read(consumer, RECORDS)
        commit(consumer, RECORDS)
    assert found_in(cluster) == []


def asks_from(entry: Entry, offset: int) -> bool:
    """Return whether a row is a Fetch request from an offset on."""
    is_fetch = entry.kind == "request" and entry.api is API.FETCH
    return is_fetch and json.loads(entry.detail or "{}").get("fetch_offset") == offset


def test_a_second_group_with_the_same_client_id_may_begin_at_the_end(cluster: Cluster) -> None:
    with reading(cluster, client_id="rdkafka") as consumer:
        read(consumer, RECORDS)
        commit(consumer, RECORDS)
    cluster.append(ORDERS, "nobody reads it")
    with reading(cluster, "shipping", reset="latest", client_id="rdkafka") as consumer:
        while not any(asks_from(each, RECORDS + 1) for each in cluster.journal.entries()):
            assert consumer.poll(0.05) is None
        cluster.append(ORDERS, "late")
        read(consumer, 1)
        commit(consumer, RECORDS + 2)
    assert found_in(cluster) == []


def read_before_the_end(cluster: Cluster, isolation_level: str, *, commits: bool) -> None:
    """Have a reader get records of `payments`, whose transaction is then ended."""
    config = cluster.client_config("confluent")
    producer = Producer({**config, "transactional.id": "payer"})
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce("payments", b"paid")
    assert producer.flush(TIMEOUT_S) == 0
    offsets = {"group.id": "audit", "isolation.level": isolation_level}
    consumer = Consumer({**config, **offsets, "auto.offset.reset": "earliest"})
    consumer.subscribe(["payments"])
    if isolation_level == "read_uncommitted":
        read(consumer, 1)
    (producer.commit_transaction if commits else producer.abort_transaction)(TIMEOUT_S)
    consumer.close()


def test_a_record_that_was_delivered_and_then_aborted_is_found(cluster: Cluster) -> None:
    read_before_the_end(cluster, "read_uncommitted", commits=False)
    (finding,) = found_in(cluster)
    assert (finding.rule, finding.place, finding.first_offset) == (
        *("ABORTED_AFTER_DELIVERY", "payments-0", 0),
    )


@pytest.mark.parametrize("commits", [True, False])
def test_a_reader_of_committed_records_breaks_no_rule(cluster: Cluster, commits: bool) -> None:
    level = "read_uncommitted" if commits else "read_committed"
    read_before_the_end(cluster, level, commits=commits)
    assert found_in(cluster) == []


def process(cluster: Cluster, consumer: Consumer, inside: Container[int]) -> None:
    """Read records, and write one for each in a transaction; some have the offset too."""
    ids = {"client.id": "billing", "transactional.id": "payer"}
    producer = Producer({**cluster.client_config("confluent"), **ids})
    producer.init_transactions(TIMEOUT_S)
    for offset in range(1, RECORDS + 1):
        read(consumer, 1)
        producer.begin_transaction()
        producer.produce("payments", b"paid")
        if offset in inside:
            offsets = [TopicPartition(ORDERS, 0, offset)]
            member = consumer.consumer_group_metadata()
            producer.send_offsets_to_transaction(offsets, member, TIMEOUT_S)
            producer.commit_transaction(TIMEOUT_S)
        else:
            producer.commit_transaction(TIMEOUT_S)
            commit(consumer, offset)


@pytest.mark.parametrize("inside", [(), (1, 3)])
def test_offsets_that_are_committed_beside_the_transactions_are_found(
    cluster: Cluster, inside: tuple[int, ...]
) -> None:
    with reading(cluster) as consumer:
        process(cluster, consumer, inside)
    (finding,) = found_in(cluster)
    assert (finding.rule, finding.place, finding.first_offset) == (
        *("OFFSETS_OUTSIDE_TRANSACTION", "orders-0", len(inside) // 2),
    )


def test_offsets_that_are_committed_in_the_transactions_break_no_rule(cluster: Cluster) -> None:
    with reading(cluster) as consumer:
        process(cluster, consumer, range(RECORDS + 1))
    assert found_in(cluster) == []


@pytest.mark.parametrize("skips", [True, False])
def test_records_that_a_group_skips_are_found(cluster: Cluster, skips: bool) -> None:
    with reading(cluster) as consumer:
        read(consumer, 1)
        commit(consumer, 1)
    producer = Producer(cluster.client_config("confluent"))
    for _ in range(2):
        producer.produce(ORDERS, b"late")
        assert producer.flush(TIMEOUT_S) == 0

    def begin(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        consumer.assign([TopicPartition(ORDERS, 0, RECORDS + 1) if skips else partitions[0]])

    with reading(cluster, "billing", begin) as consumer:
        read(consumer, 1 if skips else RECORDS + 1)
        commit(consumer, RECORDS + 2)
    assert [(each.rule, each.first_offset, each.last_offset) for each in found_in(cluster)] == (
        [("COMMITTED_UNREAD", RECORDS, RECORDS)] if skips else []
    )


def test_a_group_that_begins_at_the_end_breaks_no_rule(cluster: Cluster) -> None:
    with reading(cluster, reset="latest") as consumer:
        while not consumer.assignment():
            consumer.poll(0.1)
        commit(consumer, RECORDS)
    assert found_in(cluster) == []


@pytest.mark.parametrize("is_idempotent", [False, True])
def test_an_order_that_a_retry_has_changed_is_found(cluster: Cluster, is_idempotent: bool) -> None:
    config = {"enable.idempotence": is_idempotent, "batch.num.messages": 1, "linger.ms": 0}
    producer = Producer({**cluster.client_config("confluent"), **config})
    producer.produce(ORDERS, b"known")
    assert producer.flush(TIMEOUT_S) == 0
    cluster.fault(API.PRODUCE).answer("NOT_ENOUGH_REPLICAS").once()
    for value in (b"first", b"second", b"third"):
        producer.produce(ORDERS, value)
    assert producer.flush(TIMEOUT_S) == 0
    values = [each.value for each in cluster.records(ORDERS)[RECORDS + 1 :]]
    in_order = [b"first", b"second", b"third"]
    found = [(each.rule, each.first_offset) for each in found_in(cluster)]
    if is_idempotent:
        assert (values, found) == (in_order, [])
    else:
        assert set(values) == set(in_order)
        assert values != in_order
        assert found == [("ORDER_CHANGED", RECORDS + 1 + values.index(b"first"))]


@pytest.mark.parametrize("instances", [1, 2])
def test_a_record_of_two_producers_names_both(cluster: Cluster, instances: int) -> None:
    for instance in range(instances):
        config = {"enable.idempotence": True, "client.id": f"writer-{instance}"}
        producer = Producer({**cluster.client_config("confluent"), **config})
        for _ in range(2 // instances):
            producer.produce("payments", b"paid", key=b"order-7")
            assert producer.flush(TIMEOUT_S) == 0
    (finding,) = cluster.audit(identity="key").of_rule("DUPLICATE_PAYLOAD")
    said = "(client 'writer-0') wrote the first copy, and producer "
    assert (said in finding.text) is (instances == 2)
    assert len(finding.evidence) == 2

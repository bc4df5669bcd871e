"""Faults of applications on real clients, and what the audit finds; their twins break no rule."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from mockbroker import Cluster
from mockbroker.audit import Finding
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
def reading(cluster: Cluster, group: str = "billing", **config: str) -> Iterator[Consumer]:
    """Have a member of a group own the partition of `orders`."""
    offsets = {"group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer = Consumer({**cluster.client_config("confluent"), **offsets, **config})
    consumer.subscribe([ORDERS])
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

"""A producer whose steps are all made by the test."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import Produced, WireProducer

NONE = ErrorCode.NONE


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=2, topics={"orders": 2}, kafka="2.8") as cluster:
        yield cluster


def test_an_idempotent_producer_sends_the_given_sequences(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        assert producer.init_producer_id() is NONE
        assert producer.producer_epoch == 0
        first = producer.produce("orders", b"a", b"b", base_sequence=0)
        assert first == Produced(NONE, 0, 0)
        assert producer.produce("orders", b"a", b"b", base_sequence=0) == first
        gap = producer.produce("orders", b"d", base_sequence=3)
        assert gap == Produced(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1, 0)
        assert producer.produce("orders", b"c", base_sequence=2).base_offset == 2
        assert producer.produce("orders", b"x", base_sequence=0, index=1).base_offset == 0


def test_a_transaction_is_begun_and_ended_step_by_step(cluster: Cluster) -> None:
    partition = cluster.partition("orders", 0)
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        assert producer.init_producer_id() is NONE
        assert producer.add_partition("orders") is NONE
        assert producer.produce("orders", b"a", base_sequence=0).error is NONE
        assert partition.last_stable_offset == 0
        assert producer.commit() is NONE
        assert partition.last_stable_offset == partition.log_end_offset == 2
        assert producer.abort() is ErrorCode.INVALID_TXN_STATE


def test_keep_id_bumps_the_epoch(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        producer.init_producer_id()
        before = producer.producer_id, producer.producer_epoch
        assert producer.init_producer_id(keep_id=True) is NONE
        assert (producer.producer_id, producer.producer_epoch) == (before[0], before[1] + 1)


def test_a_refused_initialisation_changes_nothing(cluster: Cluster) -> None:
    with (
        WireProducer(cluster.bootstrap_servers, "orders-svc") as first,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as second,
    ):
        first.init_producer_id()
        second.init_producer_id()
        before = first.producer_id, first.producer_epoch
        assert first.init_producer_id(keep_id=True) is ErrorCode.PRODUCER_FENCED
        assert (first.producer_id, first.producer_epoch) == before


def test_keep_id_is_refused_for_releases_that_cannot_bump_epochs() -> None:
    with Cluster(kafka="2.4") as cluster, WireProducer(cluster.bootstrap_servers, "t") as producer:
        producer.init_producer_id()
        with pytest.raises(ValueError, match="InitProducerId v2 names no producer id"):
            producer.init_producer_id(keep_id=True)


@pytest.mark.parametrize(
    ("transaction_version", "refusal"),
    [(0, ErrorCode.INVALID_TXN_STATE), (1, ErrorCode.TRANSACTION_ABORTABLE), (2, NONE)],
)
def test_requests_depend_on_the_transaction_version(
    transaction_version: int, refusal: ErrorCode
) -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(
            cluster.bootstrap_servers, "t", transaction_version=transaction_version
        ) as producer,
    ):
        producer.init_producer_id()
        assert producer.produce("orders", b"not added", base_sequence=0).error is refusal


def test_a_producer_continues_with_the_epoch_that_end_txn_returns() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "t", transaction_version=2) as producer,
    ):
        producer.init_producer_id()
        producer.produce("orders", b"a", base_sequence=0)
        assert producer.commit() is NONE
        assert producer.producer_epoch == 1


def test_a_producer_finds_leaders_and_coordinators_after_elections(cluster: Cluster) -> None:
    partition = cluster.partition("orders", 0)
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"a", base_sequence=0)
        coordinator = cluster.coordinator_of("orders-svc")
        assert cluster.move_coordinator("orders-svc") == 3 - coordinator
        partition.elect()
        assert producer.produce("orders", b"b", base_sequence=1).error is NONE
        assert producer.commit() is NONE


def test_a_missing_partition_is_refused_by_the_broker(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        refused = producer.produce("orders", b"a", base_sequence=0, index=7)
        assert refused == Produced(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)

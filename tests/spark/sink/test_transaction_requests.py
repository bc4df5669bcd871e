"""Requests to transaction coordinators."""

from collections.abc import Iterator

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.transaction_requests import (
    ProducerEpoch,
    TransactionEndedError,
    TransactionRequests,
)
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import TopicIdPartition, WireCluster

PARTITIONS = [TopicIdPartition("orders", 1), TopicIdPartition("orders", 0)]
TIMEOUT_MS = 60_000


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def requests(cluster: Cluster) -> Iterator[TransactionRequests]:
    with WireCluster(cluster.bootstrap_servers, patience_s=5) as wire:
        yield TransactionRequests(wire)


def test_each_start_gets_an_epoch_and_fences_the_one_before(
    requests: TransactionRequests,
) -> None:
    first = requests.init("sink", TIMEOUT_MS)
    requests.add(first, PARTITIONS)
    second = requests.init("sink", TIMEOUT_MS)
    assert second.producer_id == first.producer_id
    assert second.producer_epoch > first.producer_epoch
    with pytest.raises(TransactionEndedError, match="sink: PRODUCER_FENCED"):
        requests.end(first, is_commit=True)


def test_an_end_may_be_repeated_but_not_changed(requests: TransactionRequests) -> None:
    producer = requests.init("sink", TIMEOUT_MS)
    requests.add(producer, PARTITIONS)
    for _ in range(2):
        requests.end(producer, is_commit=True)
    with pytest.raises(TransactionEndedError, match="INVALID_TXN_STATE"):
        requests.end(producer, is_commit=False)


def test_the_coordinator_is_looked_up_again_after_it_has_moved(
    cluster: Cluster, requests: TransactionRequests
) -> None:
    producer = requests.init("sink", TIMEOUT_MS)
    requests.add(producer, PARTITIONS)
    cluster.move_coordinator(transactional_id="sink")
    requests.end(producer, is_commit=True)


def test_a_forgotten_id_is_no_answer(requests: TransactionRequests) -> None:
    with pytest.raises(
        KafkaEosError, match=r"has forgotten the transactional id sink.*new transactionalIdPrefix"
    ):
        requests.end(ProducerEpoch("sink", 7, 0), is_commit=True)


def test_a_fenced_epoch_is_told(requests: TransactionRequests) -> None:
    first = requests.init("sink", TIMEOUT_MS)
    assert not requests.is_fenced(first)
    requests.init("sink", TIMEOUT_MS)
    assert requests.is_fenced(first)


def test_brokers_before_3_0_do_not_tell_that_an_epoch_is_fenced() -> None:
    with (
        Cluster(kafka="2.8") as cluster,
        WireCluster(cluster.bootstrap_servers, patience_s=5) as wire,
    ):
        requests = TransactionRequests(wire)
        first = requests.init("sink", TIMEOUT_MS)
        requests.init("sink", TIMEOUT_MS)
        assert not requests.is_fenced(first)


def test_a_refused_partition_is_told_among_those_not_attempted(
    requests: TransactionRequests,
) -> None:
    producer = requests.init("sink", TIMEOUT_MS)
    requests.add(producer, PARTITIONS)
    requests.end(producer, is_commit=False)
    with pytest.raises(WireError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        requests.add(producer, [*PARTITIONS, TopicIdPartition("nowhere", 0)])


def test_two_phases_need_a_broker_that_has_them(
    cluster: Cluster, requests: TransactionRequests
) -> None:
    with pytest.raises(WireError, match="InitProducerId, and v6 to v6 are known here"):
        requests.init("sink", TIMEOUT_MS, is_two_phase=True)
    config = {
        "unstable.api.versions.enable": "true",
        "transaction.two.phase.commit.enable": "true",
    }
    with (
        Cluster(topics={"orders": 2}, config=config) as able,
        WireCluster(able.bootstrap_servers) as wire,
    ):
        asked = TransactionRequests(wire)
        producer = asked.init("sink", TIMEOUT_MS, is_two_phase=True)
        asked.add(producer, PARTITIONS)
        able.clock.advance("30d")
        asked.end(producer, is_commit=True)


def test_an_error_names_the_id_and_the_broker(
    cluster: Cluster, requests: TransactionRequests
) -> None:
    cluster.fault(API.INIT_PRODUCER_ID).answer(ERR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED).once()
    with pytest.raises(WireError, match=r"transactional id sink: TRANSACTIONAL_ID_AUTH.*127\.0"):
        requests.init("sink", TIMEOUT_MS)

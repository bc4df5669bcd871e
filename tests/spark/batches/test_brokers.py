"""The brokers of a cluster, asked with patience."""

import re
from unittest.mock import patch
from uuid import uuid4

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.spark.batches import brokers as module
from mockbroker.spark.batches.batches_error import KafkaBatchesError
from mockbroker.spark.batches.brokers import (
    EARLIEST,
    LATEST,
    Brokers,
    Place,
)
from tests.support.written_topics import write

REPLICATED = {"default.replication.factor": "3"}


def test_a_topic_is_shown_with_its_leaders() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 3}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        view = brokers.topic("orders")
        assert list(view.leaders) == [0, 1, 2]
        assert set(view.leaders.values()) == {1, 2, 3}
        assert view.topic_id != ZERO_UUID


@pytest.mark.parametrize("kafka", ["0.11", "2.4", "3.9", "4.4"])
def test_every_release_since_0_11_is_spoken_to(kafka: str) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        write(cluster, "orders", 3, 4)
        place = Place("orders", 0, brokers.topic("orders").topic_id)
        cluster.partition("orders", 0).delete_records(3)
        assert (brokers.offset(place, EARLIEST), brokers.offset(place, LATEST)) == (3, 7)
        data = brokers.fetch(place, 3).data
        assert (data.high_watermark, data.log_start_offset) == (7, 3)
        assert brokers.offset(place, LATEST, is_committed=True) == 7
        assert data.records


def test_a_new_leader_is_found() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        write(cluster, "orders", 3)
        place = Place("orders", 0, brokers.topic("orders").topic_id)
        assert brokers.fetch(place, 0).data.records
        brokers.fetch_ahead(place, 1)
        cluster.partition("orders", 0).elect()
        assert brokers.fetch(place, 1).data.records
        cluster.partition("orders", 0).elect()
        assert brokers.offset(place, LATEST) == 3


def test_a_broker_that_is_gone_is_replaced() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        write(cluster, "orders", 3)
        place = Place("orders", 0, brokers.topic("orders").topic_id)
        brokers.fetch_ahead(place, 0)
        cluster.kill(cluster.partition("orders", 0).leader)
        assert brokers.fetch(place, 0).data.records
        cluster.kill(cluster.partition("orders", 0).leader)
        assert brokers.offset(place, LATEST) == 3


def test_a_broker_that_hangs_up_is_asked_again() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        write(cluster, "orders", 3)
        place = Place("orders", 0, brokers.topic("orders").topic_id)
        cluster.fault(API.FETCH).lose_response().times(1)
        assert brokers.fetch(place, 0).data.records
        cluster.assert_all_faults_fired()


def test_a_topic_that_nobody_has_is_named() -> None:
    with (
        Cluster() as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
        patch.object(module, "_PATIENCE_FOR_TOPIC_S", 0.0),
        pytest.raises(KafkaBatchesError, match=r"^kafka_batches: topic orders does not exist$"),
    ):
        brokers.topic("orders")


def test_a_topic_that_was_deleted_or_made_anew_is_not_read_on() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        write(cluster, "orders", 3)
        place = Place("orders", 0, brokers.topic("orders").topic_id)
        cluster.recreate_topic("orders")
        with pytest.raises(KafkaBatchesError, match="orders was deleted, and another one has its"):
            brokers.fetch(place, 0)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (Place("orders", 5), "topic orders has no partition 5"),
        (Place("orders", 0, uuid4()), "orders was deleted, and another one has its name"),
    ],
)
def test_a_place_that_is_not_there_is_named(place: Place, why: str) -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
        pytest.raises(KafkaBatchesError, match=why),
    ):
        brokers.fetch(place, 0)


def test_who_may_not_read_is_told_at_once() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers) as brokers,
    ):
        cluster.fault(API.FETCH).answer(ERR.TOPIC_AUTHORIZATION_FAILED).times(1)
        with pytest.raises(KafkaBatchesError, match="orders-0: TOPIC_AUTHORIZATION_FAILED"):
            brokers.fetch(Place("orders", 0), 0)


def test_patience_ends_with_the_last_reason() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(cluster.bootstrap_servers, patience_s=0.0) as brokers,
    ):
        cluster.fault(API.LIST_OFFSETS).answer(ERR.NOT_LEADER_OR_FOLLOWER)
        with pytest.raises(KafkaBatchesError, match="orders-0: NOT_LEADER_OR_FOLLOWER"):
            brokers.offset(Place("orders", 0), LATEST)


def test_a_cluster_that_is_not_there_is_not_waited_for() -> None:
    with Cluster(brokers=2) as cluster:
        servers = cluster.bootstrap_servers
    first, second = map(re.escape, servers.split(","))
    refused = "Connection refused"
    why = f"^kafka_batches: no broker answers at {first}: {refused}; {second}: {refused}$"
    with Brokers(servers) as brokers, pytest.raises(KafkaBatchesError, match=why):
        brokers.topic("orders")


@pytest.mark.parametrize("servers", ["localhost", "a:b", ":9092", " , "])
def test_an_address_that_is_none_is_refused(servers: str) -> None:
    with pytest.raises(KafkaBatchesError, match=r"kafka\.bootstrap\.servers"):
        Brokers(servers)


def test_a_listeners_name_in_front_of_an_address_is_left_out() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        Brokers(f"PLAINTEXT://{cluster.bootstrap_servers}") as brokers,
    ):
        assert brokers.topic("orders").leaders == {0: 1}

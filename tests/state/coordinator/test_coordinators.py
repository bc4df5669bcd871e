"""The coordinators of all brokers."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.coordinator.coordinators import Coordinators, group_coordinators
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE
from tests.state.cluster_building import new_cluster
from tests.state.group.coordinator_building import (
    GROUP,
    commit,
    coordinating,
    coordinator_in,
    offset,
)


class Noting:
    """A coordinator that records the calls of its methods."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int | None]] = []

    def startup(self, now_ms: int) -> None:
        self.calls.append(("startup", now_ms, None))

    def on_creation(self, partition_index: int, coordinator_epoch: int) -> None:
        self.calls.append(("creation", partition_index, coordinator_epoch))

    def on_election(self, partition_index: int, coordinator_epoch: int) -> None:
        self.calls.append(("election", partition_index, coordinator_epoch))

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None) -> None:
        self.calls.append(("resignation", partition_index, coordinator_epoch))

    def as_text(self) -> list[str]:
        return [str(len(self.calls))]


def test_leaders_are_notified_of_the_partitions_of_their_topic() -> None:
    cluster = new_cluster(brokers=2)
    first, second = Noting(), Noting()
    coordinators = Coordinators("kind", "log", {1: first, 2: second}.__getitem__, 7)
    assert coordinators[1] is first
    assert coordinators[2] is second
    assert first.calls.pop() == second.calls.pop() == ("startup", 7, None)
    assert list(coordinators) == [first, second]
    log = cluster.create_topic(NewTopic(name="log", assignments=[(0, (1, 2))]))
    coordinators.topic_created(log)
    assert first.calls.pop() == ("creation", 0, 0)
    elect_leader(cluster, log.partitions[0], 2, now_ms=0)
    coordinators.leader_elected(log.partitions[0], 1)
    assert (first.calls.pop(), second.calls.pop()) == (("resignation", 0, 1), ("election", 0, 1))
    coordinators.topic_deleted(log)
    assert second.calls == [("resignation", 0, None)]
    assert coordinators.as_text() == ["kind 1: 0", "kind 2: 1"]


def test_a_coordinator_is_created_on_first_use() -> None:
    made: list[int] = []

    def make(broker_id: int) -> Noting:
        made.append(broker_id)
        return Noting()

    coordinators = Coordinators("kind", "log", make, 7)
    assert (list(coordinators), coordinators.as_text(), made) == ([], [], [])
    assert coordinators[2] is coordinators[2]
    assert made == [2]
    assert list(coordinators) == [coordinators[2]]
    assert coordinators[2].calls == [("startup", 7, None)]


def test_other_topics_are_ignored() -> None:
    cluster = new_cluster(brokers=1)
    coordinators = Coordinators("kind", "log", lambda _broker_id: Noting(), 0)
    orders = cluster.create_topic(NewTopic(name="orders", num_partitions=1, replication_factor=1))
    coordinators.topic_created(orders)
    coordinators.leader_elected(orders.partitions[0], 1)
    coordinators.topic_deleted(orders)
    assert list(coordinators) == []


def test_each_broker_has_a_coordinator() -> None:
    cluster = coordinating(brokers=2)
    coordinators = group_coordinators(cluster, cluster, now_ms=0)
    assert [coordinators[broker_id].broker_id for broker_id in cluster.brokers] == [1, 2]


def test_the_text_of_coordinators_is_part_of_the_clusters() -> None:
    cluster = coordinating()
    commit(coordinator_in(cluster), offset(5))
    assert f"\ngroup coordinator 1: group {GROUP} " in cluster.as_text()


def test_the_leader_of_a_log_partition_coordinates_its_transactional_ids() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    index = coordinator_partition(TRANSACTION_STATE, "mine", cluster.configs)
    for broker_id in cluster.brokers:
        coordinator = cluster.transaction_coordinator(broker_id)
        if broker_id == topic.partitions[index].leader_id:
            assert coordinator.init_producer_id("mine", 1000, 0).producer_epoch == 0
        else:
            with pytest.raises(ApiError) as refused:
                coordinator.init_producer_id("mine", 1000, 0)
            assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_nothing_is_loaded_for_a_new_topic_and_a_deleted_topic_is_given_up() -> None:
    cluster = new_cluster(brokers=1, configs={"transaction.state.log.replication.factor": "1"})
    topic = cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    assert not cluster.pending
    coordinator = cluster.transaction_coordinator(1)
    coordinator.init_producer_id("mine", 1000, 0)
    assert "coordinator 1: " in cluster.as_text()
    cluster.delete_topic(topic)
    with pytest.raises(ApiError) as gone:
        coordinator.init_producer_id("mine", 1000, 0)
    assert gone.value.code is ErrorCode.NOT_COORDINATOR
    assert "'mine'" not in cluster.as_text()


def test_a_deleted_topic_of_another_name_leaves_nothing_pending() -> None:
    cluster = new_cluster()
    cluster.delete_topic(cluster.create_topic(NewTopic(name="orders")))
    assert not cluster.pending

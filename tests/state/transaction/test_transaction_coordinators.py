"""The transaction coordinators of all brokers."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE
from tests.state.cluster_building import new_cluster


def test_the_leader_of_a_log_partition_coordinates_its_transactional_ids() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    cluster.run_pending(0)
    index = coordinator_partition(TRANSACTION_STATE, "mine", cluster.configs)
    for broker_id in cluster.brokers:
        coordinator = cluster.transaction_coordinator(broker_id)
        if broker_id == topic.partitions[index].leader_id:
            assert coordinator.init_producer_id("mine", 1000, 0).producer_epoch == 0
        else:
            with pytest.raises(ApiError) as refused:
                coordinator.init_producer_id("mine", 1000, 0)
            assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_loading_is_pending_work_and_a_deleted_topic_is_given_up() -> None:
    cluster = new_cluster(brokers=1, configs={"transaction.state.log.replication.factor": "1"})
    topic = cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    coordinator = cluster.transaction_coordinator(1)
    with pytest.raises(ApiError) as loading:
        coordinator.init_producer_id("mine", 1000, 0)
    assert loading.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    cluster.run_pending(0)
    coordinator.init_producer_id("mine", 1000, 0)
    assert "coordinator 1: " in cluster.as_text()
    cluster.delete_topic(topic)
    with pytest.raises(ApiError) as gone:
        coordinator.init_producer_id("mine", 1000, 0)
    assert gone.value.code is ErrorCode.NOT_COORDINATOR
    assert "'mine'" not in cluster.as_text()


def test_other_topics_are_ignored() -> None:
    cluster = new_cluster()
    cluster.delete_topic(cluster.create_topic(NewTopic(name="orders")))
    assert not cluster.pending

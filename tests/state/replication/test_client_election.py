"""Leader elections by clients, and their refusals."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.client_election import (
    ElectionType,
    elect_by_type,
    election_type_of,
    find_for_election,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.state.cluster_building import new_cluster


def led_by_another(cluster: ClusterState) -> Partition:
    """Return a partition whose preferred replica is 2, and whose leader is 3."""
    topic = cluster.create_topic(NewTopic(name="orders", assignments=[(0, (2, 3))]))
    (partition,) = topic.partitions
    partition.leader_id = 3
    return partition


def refused(cluster: ClusterState, partition: Partition, election_type: ElectionType) -> ApiError:
    before = cluster.as_text()
    with pytest.raises(ApiError) as refusal:
        elect_by_type(cluster, partition, election_type, now_ms=0)
    assert cluster.as_text() == before
    return refusal.value


def test_the_preferred_replica_is_elected() -> None:
    cluster = new_cluster()
    partition = led_by_another(cluster)
    elect_by_type(cluster, partition, ElectionType.PREFERRED, now_ms=0)
    assert (partition.leader_id, partition.leader_epoch) == (2, 1)
    again = refused(cluster, partition, ElectionType.PREFERRED)
    assert again.code == ErrorCode.ELECTION_NOT_NEEDED


def test_a_preferred_replica_that_is_not_in_sync_cannot_lead() -> None:
    cluster = new_cluster()
    partition = led_by_another(cluster)
    partition.in_sync_replicas = (3,)
    refusal = refused(cluster, partition, ElectionType.PREFERRED)
    assert refusal.code == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    assert refusal.why == "The preferred leader was not available."


def test_an_unclean_election_is_not_needed_if_there_is_a_leader() -> None:
    cluster = new_cluster()
    refusal = refused(cluster, led_by_another(cluster), ElectionType.UNCLEAN)
    assert refusal.code == ErrorCode.ELECTION_NOT_NEEDED


def test_2_3_does_not_report_that_an_election_was_not_needed() -> None:
    cluster = new_cluster("2.3")
    assert refused(cluster, led_by_another(cluster), ElectionType.UNCLEAN).code == ErrorCode.NONE


@pytest.mark.parametrize(
    ("topic", "index", "why"),
    [("orders", 4, "No such partition as orders-4"), ("else", 0, "No such topic as else")],
)
def test_a_missing_topic_or_partition_is_named(topic: str, index: int, why: str) -> None:
    cluster = new_cluster()
    led_by_another(cluster)
    with pytest.raises(ApiError) as refusal:
        find_for_election(cluster, topic, index)
    assert (refusal.value.code, refusal.value.why) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)


def test_an_unknown_election_type_is_none() -> None:
    assert [election_type_of(number) for number in (-1, 0, 1, 2)] == [
        None,
        ElectionType.PREFERRED,
        ElectionType.UNCLEAN,
        None,
    ]

import pytest

from mockbroker import Cluster
from mockbroker.control.handles.coordinator_lookup import coordinator_id
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.consumer_members import GROUP, ConsumerMember


def coordinator(cluster: Cluster) -> int:
    return cluster.look(lambda state, _: coordinator_id(state, CONSUMER_OFFSETS, GROUP))


def test_a_coordinator_leads_the_partition_of_the_id() -> None:
    with Cluster() as cluster:
        with pytest.raises(LookupError, match="no coordinator yet"):
            coordinator(cluster)
        ConsumerMember(cluster, "a")
        assert coordinator(cluster) == 1
        cluster.kill(1)
        with pytest.raises(LookupError, match="has no leader: its brokers are not running"):
            coordinator(cluster)

"""Question for the policies of topics."""

from mockbroker import API, ERR, Cluster
from mockbroker.wire.cleanup_policies import cleanup_policies
from mockbroker.wire.cluster import WireCluster


def test_each_topic_has_its_policies() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.create_topic("states", partitions=1, config={"cleanup.policy": "compact, delete"})
        with WireCluster(cluster.bootstrap_servers) as wire:
            assert cleanup_policies(wire, ["orders", "states", "gone"]) == {
                "orders": frozenset({"delete"}),
                "states": frozenset({"compact", "delete"}),
                "gone": frozenset(),
            }


def test_policies_that_are_not_told_are_unknown() -> None:
    with Cluster(topics={"orders": 1}) as cluster, WireCluster(cluster.bootstrap_servers) as wire:
        cluster.fault(API.DESCRIBE_CONFIGS).answer(ERR.TOPIC_AUTHORIZATION_FAILED)
        assert cleanup_policies(wire, ["orders"]) is None

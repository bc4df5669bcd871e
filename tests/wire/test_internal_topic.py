"""Internal topics, read like others."""

from mockbroker import Cluster
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.internal_topic import internal_batches, internal_ends
from tests.support.written_topics import write_transaction


def test_batches_of_all_partitions_are_read() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        assert internal_ends(asked, "__transaction_state") == {}
        assert list(internal_batches(asked, "__transaction_state")) == []
        write_transaction(cluster, "orders", 1, is_commit=True)
        read = list(internal_batches(asked, "__transaction_state"))
        ends = internal_ends(asked, "__transaction_state")
        assert sum(ends.values()) == len(read) == 4
        assert {partition for partition, _ in read} == {
            partition for partition, end in ends.items() if end
        }

"""A writer to a partition with three replicas, as clients, coordinators and tests."""

from random import Random
from typing import Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.replication.replicas.replica import Replica, separate
from mockbroker.state.replication.replication import (
    catch_up,
    leave_in_sync_replicas,
    stop_following,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.log.test_log_truncation import NOW_MS, Writer

REPLICAS: Final = (1, 2, 3)


class ReplicaWriter(Writer):
    """A writer to `orders-0`, whose first leader is broker 1."""

    def __init__(self, release: str = "2.8", seed: int = 0) -> None:
        super().__init__(release, seed)
        cluster: ClusterState = self.cluster
        cluster.delete_topic(cluster.topics.by_name["orders"])
        configs = [("segment.bytes", "300")]
        wanted = NewTopic(name="orders", assignments=[(0, REPLICAS)], configs=configs)
        self.partition = cluster.create_topic(wanted).partitions[0]
        self.log = cluster.log_of(self.partition, NOW_MS)

    def elect(self, broker_id: int) -> None:
        """Elect a leader, and write to its log from then on."""
        elect_leader(self.cluster, self.partition, broker_id, now_ms=NOW_MS)
        self.log = self.cluster.log_of(self.partition, NOW_MS)

    def lag(self, broker_id: int) -> None:
        """Stop a replica's fetches."""
        stop_following(self.cluster, self.partition, broker_id, now_ms=NOW_MS)

    def lose_replica(self, broker_id: int) -> None:
        """Remove a replica from the in-sync replicas."""
        leave_in_sync_replicas(self.cluster, self.partition, broker_id, now_ms=NOW_MS)

    def catch_up(self, broker_id: int | None = None) -> None:
        """Let one replica or all fetch."""
        catch_up(self.cluster, self.partition, broker_id)

    def separate(self, broker_id: int) -> Replica:
        """Give a replica a log of its own."""
        return separate(self.partition, broker_id, self.cluster.records, now_ms=NOW_MS)

    def log_at(self, broker_id: int) -> PartitionLog:
        """Return the log of a replica."""
        log = self.partition.log_at(broker_id)
        assert log is not None, broker_id
        return log

    def delete_some(self, random: Random) -> None:
        """Move the log start forward, as DeleteRecords or retention do."""
        if self.log.high_watermark > self.log.log_start_offset:
            to = random.randint(self.log.log_start_offset, self.log.high_watermark)
            self.log.delete_records(to)

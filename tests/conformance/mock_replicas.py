"""The control of single brokers on mockbroker, by what tests call on a cluster."""

from mockbroker import Cluster
from mockbroker.state.producer.producer_recovery import KeptSnapshot
from mockbroker.state.topic.topic import NO_LEADER


class MockReplicas:
    """Control of the brokers of a mock cluster (`ReplicaControl`), where nothing takes time."""

    def __init__(self, cluster: Cluster) -> None:
        """Control a cluster all of whose brokers run and follow."""
        self._cluster = cluster
        self._cut_off: set[int] = set()
        self._snapshots: dict[int, KeptSnapshot] = {}

    @property
    def is_anybody_cut_off(self) -> bool:
        """True while a broker does not follow."""
        return bool(self._cut_off)

    def cut_off(self, broker: int) -> None:
        """Stop a broker from following any leader."""
        self._cut_off.add(broker)
        self._cluster.lag(broker)

    def follow(self, broker: int) -> None:
        """Let a broker follow again."""
        self._cut_off.discard(broker)
        self._cluster.catch_up(broker)

    def leave(self, broker: int) -> None:
        """Let a broker leave the in-sync replicas of all partitions that it follows."""
        followed = self._cluster.look(
            lambda state, _now_ms: [
                (each.topic_partition.topic, each.topic_partition.partition)
                for topic in state.topics
                for each in topic.partitions
                if each.leader_id not in {broker, NO_LEADER} and broker in each.in_sync_replicas
            ]
        )
        for topic, index in followed:
            self._cluster.partition(topic, index).lose_replica(broker)

    def kill(self, broker: int) -> None:
        """Kill a broker."""
        self._cluster.kill(broker)

    def stop(self, broker: int) -> None:
        """Stop a broker in a controlled way."""
        self._cluster.stop_broker(broker)

    def start(self, broker: int) -> None:
        """Start a broker."""
        self._cluster.start(broker, producer_snapshot=self._snapshots.pop(broker, None))

    def lose_snapshots(self, broker: int, topic: str) -> None:
        """Let a broker that is away have no producer snapshots."""
        assert self._cluster.partition(topic, 0).replicas
        self._snapshots[broker] = "none"

    def keep_snapshots(self, broker: int, topic: str) -> None:
        """Do nothing: an older snapshot is that of the beginning of the log."""

    def restore_snapshots(self, broker: int, topic: str) -> None:
        """Let a broker that is away have older producer snapshots."""
        assert self._cluster.partition(topic, 0).replicas
        self._snapshots[broker] = "stale"

    def await_checkpoints(self) -> None:
        """Do nothing: a killed broker has the log start of its last checkpoint."""

    def settle(self) -> None:
        """Do nothing: replicas follow at once."""

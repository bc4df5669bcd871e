"""What every part of a partition's handle starts from: the partition, found anew each time."""

from collections.abc import Callable
from typing import TypeVar

from mockbroker.control.cluster_control import ClusterControl
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition

T = TypeVar("T")


class PartitionAccess:
    """A partition by its topic and number."""

    def __init__(self, control: ClusterControl, topic: str, index: int) -> None:
        """Name a partition."""
        self._control = control
        self.topic = topic
        self.index = index

    def __repr__(self) -> str:
        """Name the partition."""
        return f"{type(self).__name__}({self.topic!r}, {self.index})"

    def _find(self, cluster: ClusterState) -> Partition:
        partition = cluster.partition(self.topic, self.index)
        if partition is None:
            raise LookupError(f"there is no partition {self.topic}-{self.index}")
        return partition

    def _read(self, look: Callable[[Partition], T]) -> T:
        return self._control.read(lambda cluster, _now_ms: look(self._find(cluster)))

    def _of_log(self, look: Callable[[PartitionLog], T]) -> T:
        return self._control.read(
            lambda cluster, now_ms: look(cluster.log_of(self._find(cluster), now_ms))
        )

    def _note(self, kind: str, **facts: object) -> None:
        """Tell whoever listens of an event of the partition, before it happens."""
        self._control.note(kind, topic=self.topic, partition=self.index, **facts)

"""What a coordinator needs of the cluster around it: a port that `ClusterState` fits."""

from collections.abc import Callable
from typing import Protocol

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.observation import Observation
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_id_manager import ProducerIdManager
from mockbroker.state.release.options import Options
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.held_endings import HeldEndings


class CoordinatorHost(Protocol):
    """The cluster, as far as a coordinator sees it."""

    @property
    def options(self) -> Options:
        """How this generation of Kafka behaves."""
        ...

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def producer_ids(self) -> ProducerIdManager:
        """Where new producer ids come from."""
        ...

    @property
    def timers(self) -> Timers:
        """The deadlines of the cluster; a coordinator has one for each of its sweeps."""
        ...

    @property
    def observation(self) -> Observation:
        """Whom to tell of what becomes of transactions."""
        ...

    @property
    def held_endings(self) -> HeldEndings:
        """The transactions that a test holds between their decision and their end."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None where there is no such topic or partition."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Let something happen right after the answer that is being made."""
        ...

    def append_end_txn_marker(
        self, partition: Partition, marker: EndTxnMarker, *, transaction_version: int, now_ms: int
    ) -> None:
        """Have the leader of a partition append a marker, as for a WriteTxnMarkers request.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED when somebody newer
                was there; NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS and other retriable codes
                when it is to be tried again.

        """
        ...

"""The part of a cluster that a coordinator uses: a port that `ClusterState` implements."""

from collections.abc import Callable
from typing import Protocol

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.holds import HeldEndings
from mockbroker.state.observation import Observation
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_id_manager import ProducerIdManager
from mockbroker.state.release.options import Options
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic import Partition


class CoordinatorHost(Protocol):
    """The part of a cluster that a coordinator uses."""

    @property
    def options(self) -> Options:
        """The behaviour of this Kafka release."""
        ...

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def producer_ids(self) -> ProducerIdManager:
        """The source of new producer ids."""
        ...

    @property
    def timers(self) -> Timers:
        """The timers of the cluster; a coordinator has one for each of its sweeps."""
        ...

    @property
    def observation(self) -> Observation:
        """The observer of changes to transactions."""
        ...

    @property
    def held_endings(self) -> HeldEndings:
        """The transactions that a test holds between EndTxn and their completion."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None if the topic or partition does not exist."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Schedule pending work to run right after the current answer."""
        ...

    def append_end_txn_marker(
        self, partition: Partition, marker: EndTxnMarker, *, transaction_version: int, now_ms: int
    ) -> None:
        """Append a marker on a partition's leader, as for a WriteTxnMarkers request.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED after a newer
                producer or coordinator; NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS or another
                retriable code if the caller is to try again.

        """
        ...

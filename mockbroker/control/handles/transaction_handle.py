"""Handle of a transactional id: reads its state, holds its end, and steps through it."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeVar

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles.coordinator_lookup import coordinator_id
from mockbroker.control.handles.shown import Displayed, Facts, ShownState, drawn, facts_of
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import TRANSACTION_STATE
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata

if TYPE_CHECKING:
    from mockbroker.journal.journal import Journal

T = TypeVar("T")
_DRAWING: Final = "mockbroker.timeline.transaction_timeline"
"""Loaded by name when something is drawn."""
_ENTRIES_READ: Final = 20_000
"""Number of the journal's last rows in which its events are looked for."""


class TransactionHandle(Displayed):
    """A transactional id; every property is read from the present state.

    Raises:
        LookupError: by any of its members, while no coordinator knows it, or none is there yet.

    """

    def __init__(
        self,
        control: ClusterControl,
        transactional_id: str,
        journal: "Callable[[], Journal] | None" = None,
    ) -> None:
        """Name a transactional id; the journal, which pictures ask for, has its past."""
        self._control = control
        self._journal = journal
        self.transactional_id = transactional_id

    @property
    def state(self) -> str:
        """The state by Kafka's name, such as `Ongoing` or `PrepareAbort`."""
        return self._read(lambda metadata: metadata.state.state_name)

    @property
    def producer_id(self) -> int:
        """The present producer id."""
        return self._read(lambda metadata: metadata.producer_id)

    @property
    def producer_epoch(self) -> int:
        """The epoch that its producer has, or will get."""
        return self._read(lambda metadata: metadata.producer_epoch)

    @property
    def partitions(self) -> tuple[tuple[str, int], ...]:
        """The partitions of the open transaction; while it ends, those without a marker yet."""
        return self._read(
            lambda metadata: tuple((p.topic, p.partition) for p in sorted(metadata.partitions))
        )

    def to_svg(self) -> str:
        """Draw as SVG its states and requests, its partitions, and what it waits for.

        States and requests come from the journal; without one, only what it waits for is drawn.
        """
        return self._control.read(self._drawing())

    @action
    def abort(self) -> None:
        """Abort the open transaction, as its coordinator does when the transaction times out.

        This fences the producer; its next request gets an error.

        Raises:
            ApiError: INVALID_TXN_STATE where none is open, CONCURRENT_TRANSACTIONS where one ends.

        """
        self._read(lambda metadata: metadata)
        self._control.change(
            lambda cluster, now_ms: self._coordinator(cluster).abort_over_producer(
                self.transactional_id, now_ms
            )
        )

    @action
    def hold_ending(self, topic: str | None = None, partition: int | None = None) -> None:
        """Hold the steps after the next commit or abort, until `step` or `release`.

        The transaction stays in PrepareCommit or PrepareAbort, as when a broker dies at that
        moment: EndTxn is answered, and the next request gets CONCURRENT_TRANSACTIONS. With a topic
        and a partition, only the marker of that partition is held.

        Raises:
            ValueError: a topic without a partition, or the reverse.

        """
        if (topic is None) != (partition is None):
            raise ValueError("name a topic and a partition, or neither")
        held = None if topic is None or partition is None else TopicPartition(topic, partition)
        self._control.change(
            lambda cluster, _now_ms: cluster.held_endings.hold(self.transactional_id, held)
        )

    @action
    def step(self) -> str | None:
        """Run the next held step, and return its name; None if none is left.

        The steps are a marker for each partition, and then the completion record.
        """
        return self._control.change(
            lambda cluster, now_ms: self._coordinator(cluster).markers.step(
                self.transactional_id, now_ms
            )
        )

    @action
    def release(self) -> None:
        """Run all held steps, and hold no more; the transaction has ended when this returns."""

        def go_on(cluster: ClusterState, _now_ms: int) -> None:
            cluster.held_endings.release(self.transactional_id)
            self._coordinator(cluster).markers.resume(self.transactional_id)

        self._control.change(go_on)

    def _shown(self) -> ShownState:
        name = repr(self.transactional_id)
        return ShownState(type(self).__name__, name, facts_of(self._control, self._facts))

    def _facts(self, cluster: ClusterState, _now_ms: int) -> Facts:
        metadata = self._find(cluster)
        return {
            "state": metadata.state.state_name,
            "producer_id": metadata.producer_id,
            "producer_epoch": metadata.producer_epoch,
            "partitions": [f"{p.topic}-{p.partition}" for p in sorted(metadata.partitions)],
        }

    def _picture(self) -> str:
        return drawn(self._control, self._drawing())

    def _drawing(self) -> Callable[[ClusterState, int], str]:
        journal, name = self._journal and self._journal(), self.transactional_id
        draw: Callable[..., str] = import_module(_DRAWING).transaction_svg
        entries = journal.entries(_ENTRIES_READ) if journal is not None and journal.is_on else ()
        return lambda cluster, _now_ms: draw(cluster, name, entries)

    def _coordinator(self, cluster: ClusterState) -> TransactionCoordinator:
        return cluster.transaction_coordinator(
            coordinator_id(cluster, TRANSACTION_STATE, self.transactional_id)
        )

    def _read(self, look: Callable[[TransactionMetadata], T]) -> T:
        return self._control.read(lambda cluster, _now_ms: look(self._find(cluster)))

    def _find(self, cluster: ClusterState) -> TransactionMetadata:
        found = self._coordinator(cluster).states.find(self.transactional_id)
        if found is None:
            raise LookupError(f"no coordinator knows {self.transactional_id!r}")
        return found.metadata

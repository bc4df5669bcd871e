"""What a test asserts about a cluster, with lanes of text where it does not hold."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from mockbroker.cluster_access import ClusterAccess
from mockbroker.ledger.finding import WIDTH, ClusterAssertionError, Finding, notes_of
from mockbroker.ledger.lanes import lanes
from mockbroker.ledger.partition_view import PartitionView, partition_views
from mockbroker.ledger.transaction_findings import hanging_findings, open_findings
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import OpenTransaction, open_transactions
from mockbroker.transaction_handle import TransactionHandle

T = TypeVar("T")


class ClusterAssertions(ClusterAccess):
    """The assertions of a cluster's handle, and what they look at.

    Every assertion raises `ClusterAssertionError`, an `AssertionError`, where it does not hold, and
    RuntimeError where the cluster is not running. Without a topic it is about all topics that are
    not internal.
    """

    def lanes(
        self, topic: str | None = None, partition: int | None = None, *, width: int = WIDTH
    ) -> str:
        """Draw partitions as text: their batches, markers, and offsets.

        Raises:
            LookupError: there is no such topic or partition.

        """
        views = self._read(lambda cluster, now: partition_views(cluster, topic, partition, now))
        return lanes(views, width=width)

    def open_transactions(self) -> list[OpenTransaction]:
        """Return the transactions that are not over, by partition, those that hang among them."""
        return self._read(lambda cluster, _now_ms: open_transactions(cluster))

    def assert_no_hanging_transactions(self) -> None:
        """Check that no log has a transaction open that nobody will ever end (KIP-664)."""
        self._refuse(
            "assert_no_hanging_transactions: a transaction is open that nobody will end",
            hanging_findings(self.open_transactions()),
        )

    def assert_no_open_transactions(self) -> None:
        """Check that every transaction is over, and every marker written."""
        opened = self.open_transactions()
        self._refuse(
            "assert_no_open_transactions: a transaction is not over",
            [*hanging_findings(opened), *open_findings(opened)],
        )

    def assert_producer_epoch(self, transactional_id: str, producer_epoch: int) -> None:
        """Check the epoch that a transactional id's coordinator has given out last.

        Raises:
            LookupError: no coordinator knows the id.

        """
        transaction = TransactionHandle(self._control, transactional_id)
        found = transaction.producer_epoch
        if found != producer_epoch:
            text = (
                f"{transactional_id!r} is at producer epoch {found} (producer "
                f"{transaction.producer_id}, {transaction.state}), not {producer_epoch}"
            )
            raise ClusterAssertionError("assert_producer_epoch", [Finding(text)])

    # Inside

    def _read(self, look: Callable[[ClusterState, int], T]) -> T:
        return self._control.read(look)

    def _refuse(self, claim: str, findings: Sequence[Finding]) -> None:
        """Fail with what was found, if anything was, and draw the partitions that it is about.

        Raises:
            ClusterAssertionError: something was found.

        """
        if not findings:
            return
        places = {(each.topic, each.partition) for each in findings if each.topic}

        def look(cluster: ClusterState, now_ms: int) -> list[PartitionView]:
            return [
                view
                for topic, index in sorted(places)
                if cluster.partition(topic, index) is not None
                for view in partition_views(cluster, topic, index, now_ms)
            ]

        raise ClusterAssertionError(claim, findings, _drawn(self._read(look), findings))


def _drawn(views: Iterable[PartitionView], findings: Iterable[Finding]) -> str:
    shown = list(views)
    return lanes(shown, notes_of(findings)) if shown else ""

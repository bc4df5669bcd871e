"""Loops that read orders, and bill each in a transaction, with the producer of any client.

Orders and committed offsets are read from the cluster itself: the loops differ in what they do with
their producer only.
"""

from collections.abc import Sequence
from contextlib import closing

from mockbroker.control.cluster_handle import ClusterHandle
from tests.clients.transactors.transactor import Raised, Setup, Transactor, TransactorClient

TOPICS = {"orders": 1, "bills": 1}
GROUP = "billing"
ORDERS = ("order-0", "order-1", "order-2")
ATTEMPTS = 3
SETUP = Setup(call_timeout_ms=5_000, delivery_timeout_ms=4_000, request_timeout_ms=1_000)


class FailedCallError(Exception):
    """A call of the producer failed."""


def check(raised: Raised | None, reports: Sequence[str] = ()) -> None:
    """Raise what a call or a delivery report said."""
    if raised is not None or reports:
        raise FailedCallError(str(raised or reports[0]))


class Loop:
    """A loop that bills each order once, whatever fails."""

    attempts = ATTEMPTS
    """How often a producer tries an order."""

    def __init__(self, client: TransactorClient) -> None:
        """Take the client whose producers it uses."""
        self.client = client

    def __call__(self, cluster: ClusterHandle) -> None:
        """Bill all orders; after an error that cannot be handled, begin with a new producer."""
        for order in ORDERS:
            cluster.append("orders", order)
        failure = ""
        for _ in range(ATTEMPTS):
            try:
                return self.bill_until(cluster, len(ORDERS))
            except FailedCallError as error:
                failure = str(error)
                self.hand_over(cluster)
        raise AssertionError(f"it never worked: {failure}")

    def bill_until(self, cluster: ClusterHandle, end: int) -> None:
        """Bill orders up to an offset."""
        with closing(self.producer(cluster)) as producer:
            check(producer.init_transactions())  # the last transaction has ended then
            for at in range(self.position(cluster), end):
                self.bill_surely(cluster, producer, at)

    def bill_surely(self, cluster: ClusterHandle, producer: Transactor, at: int) -> None:
        """Bill an order; abort after an error, and try again."""
        for number in range(1, self.attempts + 1):
            try:
                self.bill(cluster, producer, at)
            except FailedCallError:
                check(producer.abort_transaction())
                if number == self.attempts:
                    raise
            else:
                return

    def producer(self, cluster: ClusterHandle) -> Transactor:
        """Make a producer."""
        return self.client.transactor(cluster.bootstrap_servers, "billing", SETUP)

    def position(self, cluster: ClusterHandle) -> int:
        """Return the offset to begin with."""
        return committed(cluster)

    def bill(self, cluster: ClusterHandle, producer: Transactor, at: int) -> None:
        """Bill one order, with its offset, in a transaction."""
        check(producer.begin_transaction())
        self.send(producer, at)
        check(producer.send_offsets_to_transaction(GROUP, "orders", 0, at + 1))
        self.commit(cluster, producer)

    def send(self, producer: Transactor, at: int) -> None:
        """Send the bill, and wait until it is acknowledged."""
        check(producer.send("bills", 0, ORDERS[at]))
        check(producer.flush(), producer.reports())

    def commit(self, cluster: ClusterHandle, producer: Transactor) -> None:
        """Commit the transaction."""
        del cluster
        check(producer.commit_transaction())

    def hand_over(self, cluster: ClusterHandle) -> None:
        """Let another instance work, after a failure."""


class LoopWithNewProducers(Loop):
    """After each error a new producer goes on, whatever the client remembers of the old one."""

    attempts = 1


class LoopWithOffsetsOutside(Loop):
    """Offsets are committed after the transaction, in one of their own."""

    def bill(self, cluster: ClusterHandle, producer: Transactor, at: int) -> None:
        """Bill one order in a transaction, then commit its offset."""
        check(producer.begin_transaction())
        self.send(producer, at)
        self.commit(cluster, producer)
        check(producer.begin_transaction())
        check(producer.send_offsets_to_transaction(GROUP, "orders", 0, at + 1))
        self.commit(cluster, producer)


class LoopThatCommitsAgain(Loop):
    """A commit that failed is tried again with a new producer, whose transaction is empty."""

    def commit(self, cluster: ClusterHandle, producer: Transactor) -> None:
        """Commit, again if that fails."""
        if producer.commit_transaction() is None:
            return
        with closing(self.producer(cluster)) as again:
            check(again.init_transactions())
            check(again.begin_transaction())
            check(again.commit_transaction())


class LoopThatSwallowsErrors(Loop):
    """`except: pass` around a bill and its abort: the next order commits an offset past it."""

    def bill_surely(self, cluster: ClusterHandle, producer: Transactor, at: int) -> None:
        """Bill an order, and go on whatever has happened."""
        try:
            self.bill(cluster, producer, at)
        except FailedCallError:
            producer.abort_transaction()


class LoopOfTwoInstances(Loop):
    """After a failure another instance gets the partition, bills an order, and gives it back."""

    def hand_over(self, cluster: ClusterHandle) -> None:
        """Let the other instance bill the next order."""
        other = Loop(self.client)
        other.bill_until(cluster, min(committed(cluster) + 1, len(ORDERS)))


class LoopThatKeepsItsState(LoopOfTwoInstances):
    """The position is kept over the rebalance."""

    kept = 0

    def position(self, cluster: ClusterHandle) -> int:
        """Return the offset at which this instance was."""
        return self.kept if committed(cluster) else 0

    def bill(self, cluster: ClusterHandle, producer: Transactor, at: int) -> None:
        """Bill one order, and remember it."""
        self.kept = at
        super().bill(cluster, producer, at)


class LoopThatDoesNotFlush(Loop):
    """Nobody waits for the bill, or looks at what became of it."""

    def send(self, producer: Transactor, at: int) -> None:
        """Send the bill."""
        check(producer.send("bills", 0, ORDERS[at]))


def committed(cluster: ClusterHandle) -> int:
    """Return the offset of the first order that is not billed."""
    try:
        return cluster.group(GROUP).offsets.get(("orders", 0), 0)
    except LookupError:
        return 0

"""Setup of a row of the table: the brokers, and the application's names."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mockbroker import Cluster
from mockbroker.faults.fault import Fault
from mockbroker.protocol.api_keys import ApiKey
from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.support.come_to_rest import come_to_rest
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.stored_batches import committed_offset
from tests.clients.support.written_batches import append

if TYPE_CHECKING:
    from tests.clients.kip_691.row import Row

ORDERS: Final = tuple(f"order {number}: " + "a screw, " * 20 for number in range(4))
"""Long enough for all clients to find that compressing them is worth it."""
BATCH_SIZE: Final = 2

A_MONTH: Final = {
    "log.retention.hours": "720",
    "offsets.retention.minutes": "43200",
}
"""What has to be kept while transactional ids expire."""
_AUTHORIZERS: Final = {"2.4": "kafka.security.authorizer.AclAuthorizer"}
_NEWEST_AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


def authorizer_of(release: str) -> dict[str, str]:
    """Return the settings of brokers that let everybody do everything until there are ACLs."""
    return {
        "authorizer.class.name": _AUTHORIZERS.get(release, _NEWEST_AUTHORIZER),
        "allow.everyone.if.no.acl.found": "true",
    }


@dataclass(kw_only=True)
class Scene:
    """Brokers, the application's names, and the cleanup after the attempt."""

    bootstrap_servers: str
    running: Cluster | None = None
    topic: str = "invoices"
    source: str = "orders"
    group: str = "billing"
    transactional_id: str = "billing-1"
    undone: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])
    expected: tuple[str, ...] = ORDERS
    """What readers of committed records find in the end."""

    @property
    def cluster(self) -> Cluster:
        """The cluster, if it is a mockbroker."""
        assert self.running is not None
        return self.running

    def afterwards(self, undo: Callable[[], object]) -> None:
        """Register a function to run after the attempt."""
        self.undone.append(undo)

    def expect_only_from(self, number: int) -> None:
        """Expect what is billed from here on; earlier records went with their topic."""
        self.expected = ORDERS[number:]

    def meanwhile(self, act: Callable[[], object], *, after: Fault, hits: int) -> None:
        """Run a function while the client is busy, after this many calls.

        The attempt ends when the function has returned, too.
        """

        def wait_and_act() -> None:
            after.wait(hits, timeout=f"{TIMEOUT_S}s")
            act()

        thread = threading.Thread(target=wait_and_act)
        thread.start()
        self.undone.append(thread.join)

    def whenever(self, fault: Fault, act: Callable[[], object], *, hits: int = 1) -> None:
        """Run a function after this many calls, if they come before the attempt ends."""
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(0.01):
                if fault.hits >= hits:
                    act()
                    return

        thread = threading.Thread(target=watch)
        thread.start()

        def end() -> None:
            is_over.set()
            thread.join()

        self.undone.append(end)

    def come_to_rest(self) -> None:
        """Wait until a real cluster has done its deferred work; mockbroker has none."""
        if self.running is None:
            come_to_rest()

    def answered(self, apis: Collection[ApiKey]) -> tuple[str, ...]:
        """Return the errors in responses of some APIs so far, by name; empty for a real Kafka."""
        if self.running is None:
            return ()
        return tuple(sorted(error.name for error in self.running.journal.errors(apis)))

    def end_attempt(self) -> bool:
        """Undo the changes of the row, and return whether all its faults have fired."""
        while self.undone:
            self.undone.pop()()
        if self.running is None:
            self.come_to_rest()
            return True
        faults = list(self.running.faults)  # the cluster has none of them afterwards
        for fault in faults:
            fault.remove()
        return all(fault.hits for fault in faults)

    def position(self) -> int:
        """Return the number of billed orders, by the group's offset."""
        return max(committed_offset(self.bootstrap_servers, self.group, self.source, 0), 0)

    def is_exactly_once(self, *, stores_position: bool = True) -> bool:
        """Return whether consumers see each order once, and no transaction is open."""
        if self.running is None:
            return self._is_exactly_once_elsewhere(stores_position=stores_position)
        records = self.running.records(self.topic, isolation="read_committed")
        billed = [(record.value or b"").decode() for record in records]
        partition = self.running.partition(self.topic, 0)
        is_settled = partition.last_stable_offset == partition.log_end_offset
        is_at_end = not stores_position or self.position() == len(ORDERS)
        return is_settled and billed == list(self.expected) and is_at_end

    def _is_exactly_once_elsewhere(self, *, stores_position: bool) -> bool:
        end = "end"  # a reader of committed records gets it when nothing is open any more
        assert append(self.bootstrap_servers, self.topic, 0, end) == 0
        read = ConfluentClient().read(self.bootstrap_servers, self.topic, 0, "read_committed", end)
        wait_until(lambda: not stores_position or self.position() == len(ORDERS))
        return read == [*self.expected, end]


def cluster_for(row: "Row") -> Cluster:
    """Return a cluster for a row, not started yet."""
    return Cluster(
        brokers=row.brokers,
        kafka=row.kafka,
        topics={"orders": 1, "invoices": 1},
        config={
            **A_MONTH,
            "auto.create.topics.enable": "false",
            **(authorizer_of(row.kafka) if row.has_authorizer else {}),
        },
        journal=True,
    )

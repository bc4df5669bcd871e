"""What a test does with a running cluster, whatever runs it: a fixture, a command or a server."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from mockbroker.broker.stored_records import IsolationLevel, StoredRecord
from mockbroker.control.client_config import client_config
from mockbroker.control.cluster_aio import ClusterAio
from mockbroker.control.cluster_assertions import ClusterAssertions
from mockbroker.control.cluster_audit import ClusterAudit
from mockbroker.control.cluster_clock import ClusterClock
from mockbroker.control.cluster_control import NOT_RUNNING
from mockbroker.control.cluster_doors import ClusterDoors
from mockbroker.control.cluster_events import ClusterEvents
from mockbroker.control.cluster_listeners import ClusterListeners
from mockbroker.control.partition_handle import PartitionHandle
from mockbroker.control.transaction_handle import TransactionHandle
from mockbroker.faults.fault import Fault
from mockbroker.faults.selectors import Selectors, When
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.open_transactions import HangingTransaction, hanging_transactions
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, TRANSACTION_STATE

if TYPE_CHECKING:
    from mockbroker.journal.journal import Journal


class ClusterHandle(ClusterAssertions, ClusterAudit, ClusterDoors, ClusterEvents, ClusterListeners):
    """A hand on a cluster that somebody else starts and stops. To be used from any thread."""

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, to be given to any Kafka client.

        Raises:
            RuntimeError: the cluster has not been started yet.

        """
        if self._running is None:
            raise RuntimeError(
                "the cluster has no addresses before it has started: use it in a with statement, "
                "`with Cluster() as cluster:`"
            )
        return self._running.bootstrap_servers

    def config(self, client: str, **extra: Any) -> dict[str, Any]:
        """Return the settings with which a client library finds the cluster, and some more.

        `client` is `confluent`, `aiokafka`, `kafka-python`, `java` or `spark`.

        Raises:
            RuntimeError: the cluster has not been started yet.
            ValueError: no such client is known.

        """
        return client_config(client, self.bootstrap_servers, extra)

    def records(
        self,
        topic: str,
        partition: int | None = None,
        *,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> list[StoredRecord]:
        """Return the records of a topic, or of one partition of it, as consumers are given them.

        With `isolation="read_committed"` they are those of transactions that were committed.

        Raises:
            LookupError: there is no such topic or partition.
            RuntimeError: the cluster is not running.
            ValueError: there is no such isolation level.

        """
        return self._records(topic, isolation, partition)

    @property
    def aio(self) -> ClusterAio:
        """What waits, to be awaited in async tests."""
        return ClusterAio(self)

    @property
    def clock(self) -> ClusterClock:
        """The clock of the cluster's state: read it, and let time pass.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return ClusterClock(self._control)

    @property
    def journal(self) -> "Journal":
        """Every request, answer, append, marker, transition, fault and jump of the clock.

        It is on in the pytest fixtures, and elsewhere with `Cluster(journal=True)` or a folder's
        path. It can be read when the cluster has stopped, too.

        Raises:
            RuntimeError: the cluster has not been started yet.

        """
        if self._running is None:
            raise RuntimeError(NOT_RUNNING)
        return self._running.journal

    def partition(self, topic: str, index: int) -> PartitionHandle:
        """Give a partition to look at, and to elect leaders of.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return PartitionHandle(self._control, topic, index)

    def transaction(self, transactional_id: str) -> TransactionHandle:
        """Give a transactional id to look at, whose end can be held and stepped through.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return TransactionHandle(self._control, transactional_id)

    def move_coordinator(
        self,
        transactional_id: str | None = None,
        to: int | None = None,
        *,
        group: str | None = None,
    ) -> int:
        """Let another broker coordinate a transactional id or a group, and return the broker's id.

        It is the next replica in turn of its partition of `__transaction_state`, or of a group's
        of `__consumer_offsets`, unless `to` names one; with one replica it is the same broker, as
        after a restart. The new coordinator knows what it loads from that partition's log, and
        nothing else.

        Raises:
            LookupError: there is no coordinator yet, since no client has asked for one.
            RuntimeError: the cluster is not running.
            ValueError: `to` holds no replica, or what is coordinated is not said.

        """
        return self._coordinated_by(transactional_id, group).elect(to)

    def coordinator_of(
        self, transactional_id: str | None = None, *, group: str | None = None
    ) -> int:
        """Return the id of the broker that coordinates a transactional id or a group.

        Raises:
            LookupError: there is no coordinator yet, since no client has asked for one.
            RuntimeError: the cluster is not running.
            ValueError: what is coordinated is not said.

        """
        return self._coordinated_by(transactional_id, group).leader

    def fault(
        self,
        api: ApiKey | Collection[ApiKey] | None = None,
        *,
        when: When | None = None,
        name: str | None = None,
        **selectors: object,
    ) -> Fault:
        """Begin a fault: choose the calls that it is about, then say what happens to them.

        Selectors are `topic`, `partition`, `transactional_id`, `producer_id`, `producer_epoch`,
        `base_sequence`, `group`, `client_id`, `broker`, `connection` and `version`. All have to
        fit, a collection fits by any of its values, and texts may hold the wildcards `*` and `?`.
        `when` is a predicate on the call. Nothing happens before an effect is chosen:

            cluster.fault(API.PRODUCE, topic="orders").lose_response().once()

        Raises:
            RuntimeError: the cluster is not running.
            ValueError: there is no such selector, or there is a fault of this name.

        """
        control = self._control
        chosen = Selectors({"api": api, **selectors}, when)
        return Fault(control, control.change(lambda _c, _now: control.fault_plan.add(chosen, name)))

    @property
    def faults(self) -> list[Fault]:
        """All faults that were made and not removed, in order.

        Raises:
            RuntimeError: the cluster is not running.

        """
        control = self._control
        return [Fault(control, rule) for rule in control.fault_plan.rules]

    def assert_all_faults_fired(self) -> None:
        """Check that no fault was made in vain.

        Raises:
            AssertionError: one has not struck; the text names what came nearest to it.

        """
        unfired = [fault.story() for fault in self.faults if not fault.hits]
        if unfired:
            raise AssertionError("\n".join(["faults that never struck:", *unfired]))

    def hanging_transactions(self) -> list[HangingTransaction]:
        """Return the transactions that are open in a partition and that nobody will ever end.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return self._control.read(lambda cluster, _now_ms: hanging_transactions(cluster))

    def _coordinated_by(self, transactional_id: str | None, group: str | None) -> PartitionHandle:
        if (transactional_id is None) == (group is None):
            raise ValueError(
                "say what is coordinated: a transactional id, as in coordinator_of('orders-svc'),"
                " or a group, as in coordinator_of(group='readers')"
            )
        topic = TRANSACTION_STATE if group is None else CONSUMER_OFFSETS
        key = transactional_id if group is None else group
        index = self._control.read(
            lambda cluster, _now_ms: coordinator_partition(topic, str(key), cluster.configs)
        )
        return self.partition(topic, index)

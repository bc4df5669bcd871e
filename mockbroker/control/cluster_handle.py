"""Handle of a cluster: all methods for tests, independent of how the cluster runs."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockbroker.broker.stored_records import IsolationLevel, StoredRecord
from mockbroker.control.actions.cluster_actions import ClusterActions
from mockbroker.control.advertised_listeners import ListenerInfo
from mockbroker.control.assertions.ledger_handle import LedgerHandle
from mockbroker.control.broker_control import BrokerControl, BrokerInfo
from mockbroker.control.client_config import (
    ANYONE,
    ClientAccess,
    client_config,
    client_needs,
)
from mockbroker.control.cluster_assertions import ClusterAssertions
from mockbroker.control.cluster_audit import ClusterAudit
from mockbroker.control.cluster_clock import ClusterClock
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.faults_handle import FaultsHandle
from mockbroker.control.group_assertions import GroupAssertions
from mockbroker.control.handles.acls_handle import AclsHandle
from mockbroker.control.handles.certificates_handle import CertificatesHandle
from mockbroker.control.handles.coordinator_control import CoordinatorControl
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.quotas_handle import QuotasHandle
from mockbroker.control.handles.shown import Displayed, ShownState
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.control.part_method import PartMethod
from mockbroker.control.running_cluster import ClusterAccess, RunningCluster
from mockbroker.control.topics.topic_control import TopicControl
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import HangingTransaction, hanging_transactions
from mockbroker.state.random_source import RandomSource

if TYPE_CHECKING:
    from mockbroker.control.aio.cluster_aio import ClusterAio
    from mockbroker.control.handles.group_handle import GroupHandle
    from mockbroker.control.handles.users_handle import UsersHandle
    from mockbroker.journal.journal import Journal

T = TypeVar("T")

_AIO: Final = "mockbroker.control.aio.cluster_aio"
"""Loaded by name: only async tests use it, and it needs all handles."""
_FACTS: Final = "mockbroker.control.handles.cluster_facts"
"""Loaded by name: only a cluster that is printed needs it."""
_USERS: Final = "mockbroker.control.handles.users_handle"
"""Loaded by name: it brings the cryptography of SCRAM, which few clusters need."""
_NOT_STARTED: Final = (
    "has no addresses before it has started: use it in a with statement,"
    " `with Cluster() as cluster:`"
)


class ClusterHandle(Displayed):
    """Handle of a cluster that something else starts and stops.

    All threads may use it. Its parts are the control methods of brokers, the assertions and the
    audit.
    """

    def __init__(self, running: RunningCluster | None = None) -> None:
        """Take the cluster, if it is running already."""
        self._access = ClusterAccess(running)
        self._brokers = BrokerControl(self._access)
        self._coordinators = CoordinatorControl(self._access)
        self._assertions = ClusterAssertions(self._access)
        self._group_assertions = GroupAssertions(self._access)
        self._audit = ClusterAudit(self._access)
        self._actions = ClusterActions(self._access)
        self._topics = TopicControl(self._access)

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, for any Kafka client.

        Raises:
            RuntimeError: the cluster has not been started yet.

        """
        if self._access.cluster is None:
            raise RuntimeError(f"the cluster {_NOT_STARTED}")
        return self._access.cluster.bootstrap_servers

    def client_config(
        self,
        client: str,
        access: ClientAccess = ANYONE,
        /,
        **extra: Any,
    ) -> dict[str, Any]:
        """Return the settings with which a client library connects to the cluster, plus `extra`.

        `client` is `confluent`, `aiokafka`, `kafka-python`, `java` or `spark`; `access` says who it
        is, and to which listener it connects.

        Raises:
            LookupError: there is no such listener.
            RuntimeError: the cluster has not been started yet.
            ValueError: no such client is known, or a listener with SASL has no user.

        """
        if self._access.cluster is None:
            raise RuntimeError(f"the cluster {_NOT_STARTED}")
        return client_config(client, client_needs(self._access.cluster, access), extra)

    def records(
        self,
        topic: str,
        partition: int | None = None,
        *,
        isolation: IsolationLevel = "read_uncommitted",
    ) -> list[StoredRecord]:
        """Return the records of a topic, or of one partition, that consumers can read.

        With `isolation="read_committed"`, only records of committed transactions are returned.

        Raises:
            LookupError: there is no such topic or partition.
            ValueError: there is no such isolation level.

        """
        return self._assertions.records_of(topic, isolation, partition)

    def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Call a function with the cluster's state and the time, and return its result.

        It runs on the cluster's event loop, between two requests, and must change nothing.
        """
        return self._control.read(work)

    def reset(self) -> None:
        """Reset the cluster to its initial state, on the same ports and with the same topics.

        Logs, producers, transactions, groups, configs, faults, the journal, the clock and the seed
        are as at the start. Killed brokers run again, and all connections are closed. The
        advertised addresses do not change.

        Raises:
            OSError: another process has taken the port of a broker that was killed.

        """
        present = self._access.running
        self._control.read(lambda _cluster, _now_ms: present.reset())

    @property
    def drawn_from(self) -> int:
        """The seed of all ids and random choices."""
        return self._control.read(lambda cluster, _now_ms: cluster.seed)

    @action
    def seed(self, seed: int) -> None:
        """Use another seed from now on, for ids and faults `with_probability`."""
        control = self._control

        def seeded(cluster: ClusterState, _now_ms: int) -> None:
            cluster.seed = seed
            for random in (cluster.random, control.fault_plan.random):
                random.state = RandomSource(seed).state

        control.change(seeded)

    @property
    def admin_url(self) -> str:
        """The address of the cluster's HTTP API.

        Raises:
            RuntimeError: the cluster has none: it is not running, or not asked for one.

        """
        cluster = self._access.cluster
        admin = None if cluster is None else cluster.admin
        if admin is None or not admin.url:
            raise RuntimeError("the cluster has no admin port: start it with `admin_port=0`")
        return admin.url

    @property
    def aio(self) -> "ClusterAio":
        """The blocking methods as coroutines, for async tests in asyncio and trio."""
        aio: ClusterAio = import_module(_AIO).ClusterAio(self)
        return aio

    @property
    def clock(self) -> ClusterClock:
        """The clock of the cluster."""
        return ClusterClock(self._control)

    @property
    def journal(self) -> "Journal":
        """Recorded requests, responses, appends, markers, transitions, faults and clock jumps.

        It is on in the pytest fixtures, and elsewhere with `Cluster(journal=True)` or a folder's
        path. It can be read when the cluster has stopped, too.

        Raises:
            RuntimeError: the cluster has not been started yet.

        """
        return self._access.started.journal

    def partition(self, topic: str, index: int) -> PartitionHandle:
        """Return a handle of a partition: inspect it, elect leaders, lose data."""
        return PartitionHandle(self._control, topic, index)

    def transaction(self, transactional_id: str) -> TransactionHandle:
        """Return a handle of a transactional id: inspect it, hold its end, step through it."""
        return TransactionHandle(self._control, transactional_id, lambda: self.journal)

    def group(self, group_id: str) -> "GroupHandle":
        """Return a handle of a group: inspect its members, fence one, hold their assignments."""
        # Imported late: a start does not wait for groups.
        from mockbroker.control.handles.group_handle import GroupHandle

        return GroupHandle(self._control, group_id)

    @property
    def acls(self) -> AclsHandle:
        """The ACLs: give and take rights, also between two steps of a transaction."""
        return AclsHandle(self._control)

    @property
    def quotas(self) -> QuotasHandle:
        """The quotas of clients: set and remove them while clients work."""
        return QuotasHandle(self._control)

    @property
    def users(self) -> "UsersHandle":
        """The users of SCRAM, and the sessions of all that authenticate by SASL."""
        users: UsersHandle = import_module(_USERS).UsersHandle(self._control)
        return users

    @property
    def certificates(self) -> CertificatesHandle:
        """The certificates of a cluster with `tls=True`: issue, expire and renew them."""
        return CertificatesHandle(self._control, self._access.running.security)

    @property
    def ca_pem(self) -> str:
        """Certificate of the authority that clients have to trust, in PEM.

        Raises:
            RuntimeError: the cluster was not started with `tls=True`, or has not started yet.

        """
        return self._access.started.security.authority.ca_pem

    @property
    def listeners(self) -> list[ListenerInfo]:
        """All listeners for clients by broker, the main one of each first."""
        running = self._access.running
        return self._control.read(lambda _cluster, _now_ms: running.advertised.views)

    @property
    def faults(self) -> FaultsHandle:
        """All faults that were made and not removed, in order; `clear()` removes them."""
        return FaultsHandle(self._control)

    fault = PartMethod("faults", FaultsHandle.add)
    assert_all_faults_fired = PartMethod("faults", FaultsHandle.assert_all_fired)

    def hanging_transactions(self) -> list[HangingTransaction]:
        """Return the transactions that are open in a log and unknown to their coordinator."""
        return self._control.read(lambda cluster, _now_ms: hanging_transactions(cluster))

    create_topic = PartMethod("_topics", TopicControl.create_topic)
    append = PartMethod("_topics", TopicControl.append)
    begin_transaction = PartMethod("_topics", TopicControl.begin_transaction)
    wait_for_records = PartMethod("_topics", TopicControl.wait_for_records)

    advertise = PartMethod("_brokers", BrokerControl.advertise)
    broker = PartMethod("_brokers", BrokerControl.handle)
    kill = PartMethod("_brokers", BrokerControl.kill)
    start = PartMethod("_brokers", BrokerControl.start)
    stop_broker = PartMethod("_brokers", BrokerControl.stop)
    lag = PartMethod("_brokers", BrokerControl.lag)
    catch_up = PartMethod("_brokers", BrokerControl.catch_up)
    isolate = PartMethod("_brokers", BrokerControl.isolate)
    rejoin = PartMethod("_brokers", BrokerControl.rejoin)
    flush = PartMethod("_brokers", BrokerControl.flush)
    crash = PartMethod("_brokers", BrokerControl.crash)
    move_coordinator = PartMethod("_coordinators", CoordinatorControl.move_coordinator)
    coordinator_of = PartMethod("_coordinators", CoordinatorControl.coordinator_of)
    recreate_topic = PartMethod("_brokers", BrokerControl.recreate_topic)
    delay_markers = PartMethod("_coordinators", CoordinatorControl.delay_markers)
    expire_transactional_id = PartMethod(
        "_coordinators", CoordinatorControl.expire_transactional_id
    )

    watch = PartMethod("_actions", ClusterActions.watch)
    action_log = PartMethod("_actions", ClusterActions.action_log)

    @property
    def brokers(self) -> list[BrokerInfo]:
        """All brokers by id, including unavailable ones."""
        return self._brokers.views

    @property
    def controller(self) -> int:
        """The id of the controller's broker."""
        return self._control.read(lambda cluster, _now_ms: cluster.controller_id)

    assert_exactly_once = PartMethod("_assertions", ClusterAssertions.assert_exactly_once)
    assert_no_duplicates = PartMethod("_assertions", ClusterAssertions.assert_no_duplicates)
    assert_no_loss = PartMethod("_assertions", ClusterAssertions.assert_no_loss)
    assert_records = PartMethod("_assertions", ClusterAssertions.assert_records)
    assert_no_hanging_transactions = PartMethod(
        "_assertions", ClusterAssertions.assert_no_hanging_transactions
    )
    assert_no_open_transactions = PartMethod(
        "_assertions", ClusterAssertions.assert_no_open_transactions
    )
    assert_no_zombie_writes = PartMethod("_assertions", ClusterAssertions.assert_no_zombie_writes)
    assert_committed = PartMethod("_assertions", ClusterAssertions.assert_committed)
    assert_aborted = PartMethod("_assertions", ClusterAssertions.assert_aborted)
    assert_fenced = PartMethod("_assertions", ClusterAssertions.assert_fenced)
    assert_producer_epoch = PartMethod("_assertions", ClusterAssertions.assert_producer_epoch)
    assert_error_handled = PartMethod("_assertions", ClusterAssertions.assert_error_handled)
    assert_no_unhandled_requests = PartMethod(
        "_assertions", ClusterAssertions.assert_no_unhandled_requests
    )
    assert_no_partition_owned_twice = PartMethod(
        "_group_assertions", GroupAssertions.assert_no_partition_owned_twice
    )
    assert_no_record_delivered_beyond_limit = PartMethod(
        "_group_assertions", GroupAssertions.assert_no_record_delivered_beyond_limit
    )
    assert_each_record_acknowledged_once = PartMethod(
        "_group_assertions", GroupAssertions.assert_each_record_acknowledged_once
    )
    lanes = PartMethod("_assertions", ClusterAssertions.lanes)
    timeline = PartMethod("_assertions", ClusterAssertions.timeline)
    sent_batches = PartMethod("_assertions", ClusterAssertions.sent_batches)
    open_transactions = PartMethod("_assertions", ClusterAssertions.open_transactions)
    audit = PartMethod("_audit", ClusterAudit.audit)

    @property
    def ledger(self) -> LedgerHandle:
        """The recording of batches and their results, which the assertions read."""
        return LedgerHandle(self._access)

    @property
    def keeps_ledger(self) -> bool:
        """True if the cluster records batches in a ledger, as assertions need it."""
        return self._access.running.keeps_ledger

    def _shown(self) -> ShownState:
        shown: ShownState = import_module(_FACTS).shown_cluster(type(self).__name__, self._access)
        return shown

    @property
    def _control(self) -> ClusterControl:
        return self._access.control

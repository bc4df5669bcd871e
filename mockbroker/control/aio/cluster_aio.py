"""Blocking methods of a cluster, its faults and its handles, as coroutines for async tests.

Each method runs on a thread of its own, so that the event loop of the test continues: the cluster
itself may run on that loop (`async with Cluster()`), which a blocking call would stop.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from mockbroker.control.aio.awaited import AwaitedHandle, AwaitedMethod, in_thread
from mockbroker.control.aio.handles_aio import (
    AclsAio,
    AppendTransactionAio,
    BrokerAio,
    CertificatesAio,
    ClockAio,
    FaultsAio,
    GroupAio,
    JournalAio,
    LedgerAio,
    PartitionAio,
    QuotasAio,
    TransactionAio,
    UsersAio,
    WatchAio,
)
from mockbroker.control.cluster_clock import Passed
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.conditions import Event
from mockbroker.faults.fault import Fault
from mockbroker.settings.duration import DEFAULT_TIMEOUT, Duration, with_unit
from mockbroker.state.cluster_state import ClusterState

P = ParamSpec("P")
T = TypeVar("T")


class ClusterAio(AwaitedHandle[ClusterHandle]):
    """Blocking methods by their names, as coroutines."""

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run any other blocking function, such as a client's `flush`, and return its result."""
        return await in_thread(work, *args, **kwargs)

    # Faults

    async def wait(self, fault: Fault, hits: int = 1, timeout: Duration = DEFAULT_TIMEOUT) -> None:
        """Wait until a fault has fired `hits` times; see `Fault.wait`."""
        timeout = with_unit("wait(timeout={})", timeout, "s")
        await in_thread(fault.wait, hits, timeout)

    async def wait_held(
        self, fault: Fault, count: int = 1, timeout: Duration = DEFAULT_TIMEOUT
    ) -> None:
        """Wait until a fault has held `count` calls; see `Fault.wait_held`."""
        timeout = with_unit("wait_held(timeout={})", timeout, "s")
        await in_thread(fault.wait_held, count, timeout)

    async def wait_released(
        self, fault: Fault, count: int = 1, timeout: Duration = DEFAULT_TIMEOUT
    ) -> None:
        """Wait until `count` held calls were released; see `Fault.wait_released`."""
        timeout = with_unit("wait_released(timeout={})", timeout, "s")
        await in_thread(fault.wait_released, count, timeout)

    async def release(self, fault: Fault) -> int:
        """Release the calls that a fault holds, and return their number."""
        return await in_thread(fault.release)

    async def remove(self, fault: Fault) -> None:
        """Remove a fault, and release the calls that it holds."""
        await in_thread(fault.remove)

    @property
    def faults(self) -> FaultsAio:
        """The methods of all faults together."""
        return FaultsAio(self.blocking.faults)

    assert_all_faults_fired = AwaitedMethod(ClusterHandle.assert_all_faults_fired)

    # Handles

    @property
    def clock(self) -> ClockAio:
        """The methods of the clock."""
        return ClockAio(self.blocking.clock)

    async def advance(self, by: Duration, *, keep_sessions: bool = True) -> Passed:
        """Advance the clock; see `ClusterClock.advance`."""
        by = with_unit("advance({})", by)
        return await self.clock.advance(by, keep_sessions=keep_sessions)

    @property
    def journal(self) -> JournalAio:
        """The methods of the journal."""
        return JournalAio(self.blocking.journal)

    @property
    def ledger(self) -> LedgerAio:
        """The methods of the ledger."""
        return LedgerAio(self.blocking.ledger)

    def partition(self, topic: str, index: int) -> PartitionAio:
        """Return the methods of a partition."""
        return PartitionAio(self.blocking.partition(topic, index))

    def broker(self, broker: int) -> BrokerAio:
        """Return the methods of a broker."""
        return BrokerAio(self.blocking.broker(broker))

    def transaction(self, transactional_id: str) -> TransactionAio:
        """Return the methods of a transactional id."""
        return TransactionAio(self.blocking.transaction(transactional_id))

    def group(self, group_id: str) -> GroupAio:
        """Return the methods of a group."""
        return GroupAio(self.blocking.group(group_id))

    def watch(self, event: Event) -> WatchAio:
        """Begin to watch for an event, and return the methods of the watch."""
        return WatchAio(self.blocking.watch(event))

    @property
    def acls(self) -> AclsAio:
        """The methods of the ACLs."""
        return AclsAio(self.blocking.acls)

    @property
    def quotas(self) -> QuotasAio:
        """The methods of the quotas."""
        return QuotasAio(self.blocking.quotas)

    @property
    def users(self) -> UsersAio:
        """The methods of the users."""
        return UsersAio(self.blocking.users)

    @property
    def certificates(self) -> CertificatesAio:
        """The methods of the certificates."""
        return CertificatesAio(self.blocking.certificates)

    # The cluster, its brokers and coordinators

    records = AwaitedMethod(ClusterHandle.records)
    wait_for_records = AwaitedMethod(ClusterHandle.wait_for_records)
    create_topic = AwaitedMethod(ClusterHandle.create_topic)
    append = AwaitedMethod(ClusterHandle.append)

    async def begin_transaction(
        self, transactional_id: str, *, timeout: Duration = "1m"
    ) -> AppendTransactionAio:
        """Begin a transaction of appended records; see `ClusterHandle.begin_transaction`.

        async with await cluster.aio.begin_transaction("billing-1") as transaction:
            await transaction.append("orders", "paid", key="order-7")
        """
        timeout = with_unit("begin_transaction(timeout={})", timeout)
        begun = await in_thread(self.blocking.begin_transaction, transactional_id, timeout=timeout)
        return AppendTransactionAio(begun)

    reset = AwaitedMethod(ClusterHandle.reset)
    seed = AwaitedMethod(ClusterHandle.seed)
    advertise = AwaitedMethod(ClusterHandle.advertise)
    hanging_transactions = AwaitedMethod(ClusterHandle.hanging_transactions)
    open_transactions = AwaitedMethod(ClusterHandle.open_transactions)

    async def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Call a function with the cluster's state and the time; see `ClusterHandle.look`."""
        return await in_thread(self.blocking.look, work)

    kill = AwaitedMethod(ClusterHandle.kill)
    start = AwaitedMethod(ClusterHandle.start)
    stop_broker = AwaitedMethod(ClusterHandle.stop_broker)
    lag = AwaitedMethod(ClusterHandle.lag)
    catch_up = AwaitedMethod(ClusterHandle.catch_up)
    isolate = AwaitedMethod(ClusterHandle.isolate)
    rejoin = AwaitedMethod(ClusterHandle.rejoin)
    flush = AwaitedMethod(ClusterHandle.flush)
    crash = AwaitedMethod(ClusterHandle.crash)
    recreate_topic = AwaitedMethod(ClusterHandle.recreate_topic)
    move_coordinator = AwaitedMethod(ClusterHandle.move_coordinator)
    coordinator_of = AwaitedMethod(ClusterHandle.coordinator_of)
    delay_markers = AwaitedMethod(ClusterHandle.delay_markers)
    expire_transactional_id = AwaitedMethod(ClusterHandle.expire_transactional_id)

    # Assertions and evidence

    assert_exactly_once = AwaitedMethod(ClusterHandle.assert_exactly_once)
    assert_no_duplicates = AwaitedMethod(ClusterHandle.assert_no_duplicates)
    assert_no_loss = AwaitedMethod(ClusterHandle.assert_no_loss)
    assert_records = AwaitedMethod(ClusterHandle.assert_records)
    assert_no_hanging_transactions = AwaitedMethod(ClusterHandle.assert_no_hanging_transactions)
    assert_no_open_transactions = AwaitedMethod(ClusterHandle.assert_no_open_transactions)
    assert_no_zombie_writes = AwaitedMethod(ClusterHandle.assert_no_zombie_writes)
    assert_committed = AwaitedMethod(ClusterHandle.assert_committed)
    assert_aborted = AwaitedMethod(ClusterHandle.assert_aborted)
    assert_fenced = AwaitedMethod(ClusterHandle.assert_fenced)
    assert_producer_epoch = AwaitedMethod(ClusterHandle.assert_producer_epoch)
    assert_error_handled = AwaitedMethod(ClusterHandle.assert_error_handled)
    assert_no_unhandled_requests = AwaitedMethod(ClusterHandle.assert_no_unhandled_requests)
    assert_no_partition_owned_twice = AwaitedMethod(ClusterHandle.assert_no_partition_owned_twice)
    assert_no_record_delivered_beyond_limit = AwaitedMethod(
        ClusterHandle.assert_no_record_delivered_beyond_limit
    )
    assert_each_record_acknowledged_once = AwaitedMethod(
        ClusterHandle.assert_each_record_acknowledged_once
    )
    audit = AwaitedMethod(ClusterHandle.audit)
    lanes = AwaitedMethod(ClusterHandle.lanes)
    timeline = AwaitedMethod(ClusterHandle.timeline)
    sent_batches = AwaitedMethod(ClusterHandle.sent_batches)

"""Blocking methods of a cluster, its faults and its handles, as coroutines for async tests.

Each method runs on a thread of its own, so that the event loop of the test continues: the cluster
itself may run on that loop (`async with Cluster()`), which a blocking call would stop.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from mockbroker.control.aio.awaited import Awaited, AwaitedHandle, in_thread
from mockbroker.control.aio.handles_aio import (
    AclsAio,
    CertificatesAio,
    ClockAio,
    GroupAio,
    JournalAio,
    PartitionAio,
    QuotasAio,
    TransactionAio,
    UsersAio,
)
from mockbroker.control.cluster_clock import Passed
from mockbroker.control.cluster_handle import ClusterHandle
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

    assert_all_faults_fired = Awaited(ClusterHandle.assert_all_faults_fired)

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

    def partition(self, topic: str, index: int) -> PartitionAio:
        """Return the methods of a partition."""
        return PartitionAio(self.blocking.partition(topic, index))

    def transaction(self, transactional_id: str) -> TransactionAio:
        """Return the methods of a transactional id."""
        return TransactionAio(self.blocking.transaction(transactional_id))

    def group(self, group_id: str) -> GroupAio:
        """Return the methods of a group."""
        return GroupAio(self.blocking.group(group_id))

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

    records = Awaited(ClusterHandle.records)
    reset = Awaited(ClusterHandle.reset)
    seed = Awaited(ClusterHandle.seed)
    advertise = Awaited(ClusterHandle.advertise)
    hanging_transactions = Awaited(ClusterHandle.hanging_transactions)
    open_transactions = Awaited(ClusterHandle.open_transactions)

    async def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Call a function with the cluster's state and the time; see `ClusterHandle.look`."""
        return await in_thread(self.blocking.look, work)

    kill = Awaited(ClusterHandle.kill)
    start = Awaited(ClusterHandle.start)
    stop_broker = Awaited(ClusterHandle.stop_broker)
    lag = Awaited(ClusterHandle.lag)
    catch_up = Awaited(ClusterHandle.catch_up)
    isolate = Awaited(ClusterHandle.isolate)
    rejoin = Awaited(ClusterHandle.rejoin)
    flush = Awaited(ClusterHandle.flush)
    crash = Awaited(ClusterHandle.crash)
    recreate_topic = Awaited(ClusterHandle.recreate_topic)
    move_coordinator = Awaited(ClusterHandle.move_coordinator)
    coordinator_of = Awaited(ClusterHandle.coordinator_of)
    delay_markers = Awaited(ClusterHandle.delay_markers)
    expire_transactional_id = Awaited(ClusterHandle.expire_transactional_id)

    # Assertions and evidence

    assert_exactly_once = Awaited(ClusterHandle.assert_exactly_once)
    assert_no_duplicates = Awaited(ClusterHandle.assert_no_duplicates)
    assert_no_loss = Awaited(ClusterHandle.assert_no_loss)
    assert_records = Awaited(ClusterHandle.assert_records)
    assert_no_hanging_transactions = Awaited(ClusterHandle.assert_no_hanging_transactions)
    assert_no_open_transactions = Awaited(ClusterHandle.assert_no_open_transactions)
    assert_no_zombie_writes = Awaited(ClusterHandle.assert_no_zombie_writes)
    assert_committed = Awaited(ClusterHandle.assert_committed)
    assert_aborted = Awaited(ClusterHandle.assert_aborted)
    assert_fenced = Awaited(ClusterHandle.assert_fenced)
    assert_producer_epoch = Awaited(ClusterHandle.assert_producer_epoch)
    assert_error_handled = Awaited(ClusterHandle.assert_error_handled)
    assert_no_unhandled_requests = Awaited(ClusterHandle.assert_no_unhandled_requests)
    assert_no_partition_owned_twice = Awaited(ClusterHandle.assert_no_partition_owned_twice)
    assert_no_record_delivered_beyond_limit = Awaited(
        ClusterHandle.assert_no_record_delivered_beyond_limit
    )
    assert_each_record_acknowledged_once = Awaited(
        ClusterHandle.assert_each_record_acknowledged_once
    )
    audit = Awaited(ClusterHandle.audit)
    lanes = Awaited(ClusterHandle.lanes)
    timeline = Awaited(ClusterHandle.timeline)
    sent_batches = Awaited(ClusterHandle.sent_batches)

"""Blocking methods of the handles of partitions, transactions, groups, … as coroutines."""

from types import TracebackType
from typing import Self

from mockbroker.control.actions.event_watch import EventWatch
from mockbroker.control.aio.awaited import AwaitedHandle, AwaitedMethod, in_thread
from mockbroker.control.assertions.ledger_handle import LedgerHandle
from mockbroker.control.cluster_clock import ClusterClock
from mockbroker.control.faults_handle import FaultsHandle
from mockbroker.control.handles.acls_handle import AclsHandle
from mockbroker.control.handles.broker_handle import BrokerHandle
from mockbroker.control.handles.certificates_handle import CertificatesHandle
from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.quotas_handle import QuotasHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.control.handles.users_handle import UsersHandle
from mockbroker.control.topics.append_transaction import AppendTransaction
from mockbroker.journal.journal import Journal


class ClockAio(AwaitedHandle[ClusterClock]):
    """Methods of the clock."""

    advance = AwaitedMethod(ClusterClock.advance)
    set = AwaitedMethod(ClusterClock.set)
    freeze = AwaitedMethod(ClusterClock.freeze)
    resume = AwaitedMethod(ClusterClock.resume)


class WatchAio(AwaitedHandle[EventWatch]):
    """Methods of a watch for an event."""

    wait = AwaitedMethod(EventWatch.wait)
    stop = AwaitedMethod(EventWatch.stop)


class JournalAio(AwaitedHandle[Journal]):
    """Methods of the journal."""

    start = AwaitedMethod(Journal.start)
    stop = AwaitedMethod(Journal.stop)
    entries = AwaitedMethod(Journal.entries)
    complete_entries = AwaitedMethod(Journal.complete_entries)
    table = AwaitedMethod(Journal.table)
    lines = AwaitedMethod(Journal.lines)
    find = AwaitedMethod(Journal.find)
    last = AwaitedMethod(Journal.last)
    count = AwaitedMethod(Journal.count)
    errors = AwaitedMethod(Journal.errors)
    clear = AwaitedMethod(Journal.clear)
    export = AwaitedMethod(Journal.export)
    subscribe = AwaitedMethod(Journal.subscribe)


class BrokerAio(AwaitedHandle[BrokerHandle]):
    """Methods of a broker."""

    kill = AwaitedMethod(BrokerHandle.kill)
    stop = AwaitedMethod(BrokerHandle.stop)
    start = AwaitedMethod(BrokerHandle.start)
    crash = AwaitedMethod(BrokerHandle.crash)
    lag = AwaitedMethod(BrokerHandle.lag)
    catch_up = AwaitedMethod(BrokerHandle.catch_up)
    isolate = AwaitedMethod(BrokerHandle.isolate)
    rejoin = AwaitedMethod(BrokerHandle.rejoin)


class AppendTransactionAio(AwaitedHandle[AppendTransaction]):
    """Methods of a transaction of appended records; it commits at the end of `async with`."""

    append = AwaitedMethod(AppendTransaction.append)
    commit = AwaitedMethod(AppendTransaction.commit)
    abort = AwaitedMethod(AppendTransaction.abort)

    async def __aenter__(self) -> Self:
        """Return the transaction itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit, or abort after an exception."""
        await in_thread(self.blocking.__exit__, kind, error, trace)


class ReplicaAio(AwaitedHandle[ReplicaHandle]):
    """Methods of a replica."""

    forget_producer = AwaitedMethod(ReplicaHandle.forget_producer)
    hold_offsets = AwaitedMethod(ReplicaHandle.hold_offsets)
    move_log_start = AwaitedMethod(ReplicaHandle.move_log_start)
    release_offsets = AwaitedMethod(ReplicaHandle.release_offsets)
    reload_producers = AwaitedMethod(ReplicaHandle.reload_producers)


class PartitionAio(AwaitedHandle[PartitionHandle]):
    """Methods of a partition."""

    catch_up = AwaitedMethod(PartitionHandle.catch_up)
    compact = AwaitedMethod(PartitionHandle.compact)
    delete_records = AwaitedMethod(PartitionHandle.delete_records)
    elect = AwaitedMethod(PartitionHandle.elect)
    forget_producer = AwaitedMethod(PartitionHandle.forget_producer)
    lag = AwaitedMethod(PartitionHandle.lag)
    lose_replica = AwaitedMethod(PartitionHandle.lose_replica)
    lose_tail = AwaitedMethod(PartitionHandle.lose_tail)
    move_log_start = AwaitedMethod(PartitionHandle.move_log_start)
    to_svg = AwaitedMethod(PartitionHandle.to_svg)

    def replica(self, broker: int) -> ReplicaAio:
        """Return the coroutines of the replica on a broker."""
        return ReplicaAio(self.blocking.replica(broker))


class TransactionAio(AwaitedHandle[TransactionHandle]):
    """Methods of a transactional id."""

    abort = AwaitedMethod(TransactionHandle.abort)
    hold_ending = AwaitedMethod(TransactionHandle.hold_ending)
    release = AwaitedMethod(TransactionHandle.release)
    step = AwaitedMethod(TransactionHandle.step)
    to_svg = AwaitedMethod(TransactionHandle.to_svg)


class GroupAio(AwaitedHandle[GroupHandle]):
    """Methods of a group."""

    expire_locks = AwaitedMethod(GroupHandle.expire_locks)
    fence = AwaitedMethod(GroupHandle.fence)
    hold_dead_letters = AwaitedMethod(GroupHandle.hold_dead_letters)
    hold_reconciliation = AwaitedMethod(GroupHandle.hold_reconciliation)
    move_coordinator = AwaitedMethod(GroupHandle.move_coordinator)
    move_share_coordinator = AwaitedMethod(GroupHandle.move_share_coordinator)
    rebalance = AwaitedMethod(GroupHandle.rebalance)
    release = AwaitedMethod(GroupHandle.release)
    release_dead_letters = AwaitedMethod(GroupHandle.release_dead_letters)
    step = AwaitedMethod(GroupHandle.step)
    step_dead_letters = AwaitedMethod(GroupHandle.step_dead_letters)


class FaultsAio(AwaitedHandle[FaultsHandle]):
    """Methods of all faults together."""

    clear = AwaitedMethod(FaultsHandle.clear)
    assert_all_fired = AwaitedMethod(FaultsHandle.assert_all_fired)


class AclsAio(AwaitedHandle[AclsHandle]):
    """Methods of the ACLs."""

    all = AwaitedMethod(AclsHandle.all)
    allow = AwaitedMethod(AclsHandle.allow)
    deny = AwaitedMethod(AclsHandle.deny)
    revoke = AwaitedMethod(AclsHandle.revoke)
    revoke_all = AwaitedMethod(AclsHandle.revoke_all)


class QuotasAio(AwaitedHandle[QuotasHandle]):
    """Methods of the quotas."""

    all = AwaitedMethod(QuotasHandle.all)
    set = AwaitedMethod(QuotasHandle.set)


class UsersAio(AwaitedHandle[UsersHandle]):
    """Methods of the users."""

    add = AwaitedMethod(UsersHandle.add)
    all = AwaitedMethod(UsersHandle.all)
    expire_sessions = AwaitedMethod(UsersHandle.expire_sessions)
    remove = AwaitedMethod(UsersHandle.remove)


class CertificatesAio(AwaitedHandle[CertificatesHandle]):
    """Methods of the certificates."""

    expire = AwaitedMethod(CertificatesHandle.expire)
    issue = AwaitedMethod(CertificatesHandle.issue)
    renew = AwaitedMethod(CertificatesHandle.renew)


class LedgerAio(AwaitedHandle[LedgerHandle]):
    """Methods of the ledger."""

    start = AwaitedMethod(LedgerHandle.start)
    stop = AwaitedMethod(LedgerHandle.stop)

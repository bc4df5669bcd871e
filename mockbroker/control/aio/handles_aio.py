"""Blocking methods of the handles of partitions, transactions, groups, … as coroutines."""

from mockbroker.control.aio.awaited import Awaited, AwaitedHandle
from mockbroker.control.cluster_clock import ClusterClock
from mockbroker.control.handles.acls_handle import AclsHandle
from mockbroker.control.handles.certificates_handle import CertificatesHandle
from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.quotas_handle import QuotasHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.control.handles.users_handle import UsersHandle
from mockbroker.journal.journal import Journal


class ClockAio(AwaitedHandle[ClusterClock]):
    """Methods of the clock."""

    advance = Awaited(ClusterClock.advance)
    set = Awaited(ClusterClock.set)
    freeze = Awaited(ClusterClock.freeze)
    resume = Awaited(ClusterClock.resume)


class JournalAio(AwaitedHandle[Journal]):
    """Methods of the journal."""

    start = Awaited(Journal.start)
    stop = Awaited(Journal.stop)
    entries = Awaited(Journal.entries)
    complete_entries = Awaited(Journal.complete_entries)
    table = Awaited(Journal.table)
    lines = Awaited(Journal.lines)
    find = Awaited(Journal.find)
    last = Awaited(Journal.last)
    count = Awaited(Journal.count)
    errors = Awaited(Journal.errors)
    clear = Awaited(Journal.clear)
    export = Awaited(Journal.export)
    subscribe = Awaited(Journal.subscribe)


class ReplicaAio(AwaitedHandle[ReplicaHandle]):
    """Methods of a replica."""

    forget_producer = Awaited(ReplicaHandle.forget_producer)
    hold_offsets = Awaited(ReplicaHandle.hold_offsets)
    move_log_start = Awaited(ReplicaHandle.move_log_start)
    release_offsets = Awaited(ReplicaHandle.release_offsets)
    reload_producers = Awaited(ReplicaHandle.reload_producers)


class PartitionAio(AwaitedHandle[PartitionHandle]):
    """Methods of a partition."""

    catch_up = Awaited(PartitionHandle.catch_up)
    compact = Awaited(PartitionHandle.compact)
    delete_records = Awaited(PartitionHandle.delete_records)
    elect = Awaited(PartitionHandle.elect)
    forget_producer = Awaited(PartitionHandle.forget_producer)
    lag = Awaited(PartitionHandle.lag)
    lose_replica = Awaited(PartitionHandle.lose_replica)
    lose_tail = Awaited(PartitionHandle.lose_tail)
    move_log_start = Awaited(PartitionHandle.move_log_start)

    def replica(self, broker: int) -> ReplicaAio:
        """Return the coroutines of the replica on a broker."""
        return ReplicaAio(self.blocking.replica(broker))


class TransactionAio(AwaitedHandle[TransactionHandle]):
    """Methods of a transactional id."""

    abort = Awaited(TransactionHandle.abort)
    hold_ending = Awaited(TransactionHandle.hold_ending)
    release = Awaited(TransactionHandle.release)
    step = Awaited(TransactionHandle.step)


class GroupAio(AwaitedHandle[GroupHandle]):
    """Methods of a group."""

    expire_locks = Awaited(GroupHandle.expire_locks)
    fence = Awaited(GroupHandle.fence)
    hold_dead_letters = Awaited(GroupHandle.hold_dead_letters)
    hold_reconciliation = Awaited(GroupHandle.hold_reconciliation)
    move_coordinator = Awaited(GroupHandle.move_coordinator)
    move_share_coordinator = Awaited(GroupHandle.move_share_coordinator)
    release = Awaited(GroupHandle.release)
    release_dead_letters = Awaited(GroupHandle.release_dead_letters)
    step = Awaited(GroupHandle.step)
    step_dead_letters = Awaited(GroupHandle.step_dead_letters)


class AclsAio(AwaitedHandle[AclsHandle]):
    """Methods of the ACLs."""

    all = Awaited(AclsHandle.all)
    allow = Awaited(AclsHandle.allow)
    deny = Awaited(AclsHandle.deny)
    revoke = Awaited(AclsHandle.revoke)
    revoke_all = Awaited(AclsHandle.revoke_all)


class QuotasAio(AwaitedHandle[QuotasHandle]):
    """Methods of the quotas."""

    all = Awaited(QuotasHandle.all)
    set = Awaited(QuotasHandle.set)


class UsersAio(AwaitedHandle[UsersHandle]):
    """Methods of the users."""

    add = Awaited(UsersHandle.add)
    all = Awaited(UsersHandle.all)
    expire_sessions = Awaited(UsersHandle.expire_sessions)
    remove = Awaited(UsersHandle.remove)


class CertificatesAio(AwaitedHandle[CertificatesHandle]):
    """Methods of the certificates."""

    expire = Awaited(CertificatesHandle.expire)
    issue = Awaited(CertificatesHandle.issue)
    renew = Awaited(CertificatesHandle.renew)

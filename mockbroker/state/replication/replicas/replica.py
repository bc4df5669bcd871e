"""A replica whose log is not its leader's: it lags, its broker is away, or its state differs.

Rules:

1. A replica that has exactly what its leader has shares the leader's log object. It gets a log of
   its own (`separate`) before the two begin to differ, with the batches by reference, and shares
   again (`merge_equal`) once they are equal.
2. A replica that fetches has all that its leader has, at any moment: the copy is made when somebody
   looks, and before the leader deletes what it would have copied (`PartitionLog.followers`). That
   gives the same as a copy after every append, because nothing else depends on the moment.
3. The log start offset and the high watermark arrive with the next fetch, unless they are held.
"""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Final

from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.log.log_copy import copy_of_log
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.replicas.log_following import follow, take_over_offsets

if TYPE_CHECKING:
    from mockbroker.state.topic.topic import Partition


NEVER_FETCHED: Final = -1
"""The epoch of a former leader, which has fetched from nobody yet."""


class Replica:
    """A replica with a log of its own; None is an empty log that was never opened."""

    __slots__ = (
        "caught_up_ms",
        "fetched_in_epoch",
        "fetches",
        "holds_offsets",
        "log",
        "partition",
        "records",
    )

    def __init__(
        self,
        partition: "Partition",
        log: PartitionLog | None,
        records: BatchReader,
        *,
        fetches: bool,
        now_ms: int,
    ) -> None:
        """Take over a log; a replica that `fetches` follows the leader."""
        self.partition: Final = partition
        self.log = log
        self.records: Final = records
        self.fetches = fetches
        self.holds_offsets = False
        """True while the leader's log start and high watermark do not arrive."""
        self.caught_up_ms = now_ms
        """The time at which it last had all that its leader had."""
        self.fetched_in_epoch = partition.elected_in_epoch
        """The epoch in which the leader was elected from which it last fetched."""

    @property
    def is_known_to_leader(self) -> bool:
        """True if it has fetched from the present leader, which so knows its offsets."""
        return self.fetched_in_epoch == self.partition.elected_in_epoch

    @property
    def log_end_offset(self) -> int:
        """The end of its log."""
        return 0 if self.log is None else self.log.log_end_offset

    def fetch(self) -> None:
        """Copy what the leader has, and take over its offsets."""
        leader = self.partition.log
        if leader is None or leader is self.log:
            return
        self.fetched_in_epoch = self.partition.elected_in_epoch
        now_ms = leader.segments.active.last_modified_ms
        log = self.opened(leader, now_ms)
        follow(log, leader, self.records, now_ms=now_ms)
        if not self.holds_offsets:
            take_over_offsets(log, leader)

    def opened(self, leader: PartitionLog, now_ms: int) -> PartitionLog:
        """Return its log, opened with the settings of its leader's."""
        if self.log is None:
            self.log = PartitionLog(
                leader.topic_partition,
                leader.config,
                budget=leader.segments.budget,
                producer_options=leader.producers.options,
                now_ms=now_ms,
            )
            self.log.hold_high_watermark()
        return self.log

    def is_equal_to_leader(self) -> bool:
        """Return whether its log and producers are those of its leader."""
        leader, log = self.partition.log, self.log
        if leader is None or log is None:
            return leader is log
        return (
            log.offsets == leader.offsets
            and repr(log.leader_epochs) == repr(leader.leader_epochs)
            and sorted(map(repr, log.producers)) == sorted(map(repr, leader.producers))
        )

    def as_text(self) -> str:
        """Show what it does and its log in a stable form."""
        doing = "fetches" if self.fetches else "lags"
        held = ", offsets held" if self.holds_offsets else ""
        return f"{doing}{held}: {'no log' if self.log is None else self.log.as_text()}"


def set_replicas_apart(partition: "Partition", apart: Mapping[int, Replica]) -> None:
    """Set the replicas that have logs of their own, and those that the leader has to wait for."""
    partition.replicas_apart = apart
    if partition.log is not None:
        partition.log.followers = tuple(
            each for each in apart.values() if each.fetches and each.log is not partition.log
        )


def separate(
    partition: "Partition", broker_id: int, records: BatchReader, *, now_ms: int
) -> Replica:
    """Return a replica with a log of its own, which it gets now if it shared its leader's."""
    found = partition.replicas_apart.get(broker_id)
    if found is not None:
        return found
    log = None if partition.log is None else copy_of_log(partition.log, now_ms=now_ms)
    made = Replica(partition, log, records, fetches=True, now_ms=now_ms)
    add_replica(partition, broker_id, made)
    return made


def add_replica(partition: "Partition", broker_id: int, replica: Replica) -> None:
    """Add a replica with a log of its own."""
    set_replicas_apart(partition, {**partition.replicas_apart, broker_id: replica})


def stop_fetching(replica: Replica, *, now_ms: int) -> bool:
    """Stop a replica, which has all that its leader has until now; return whether it fetched."""
    if not replica.fetches:
        return False
    replica.fetch()
    replica.fetches = False
    replica.caught_up_ms = now_ms
    set_replicas_apart(replica.partition, replica.partition.replicas_apart)
    return True


def resume_fetching(partition: "Partition", broker_ids: Container[int]) -> None:
    """Let the replicas of these brokers fetch again."""
    for broker_id, replica in partition.replicas_apart.items():
        if broker_id in broker_ids:
            replica.fetches = True
    set_replicas_apart(partition, partition.replicas_apart)


def fetch_all(partition: "Partition") -> None:
    """Let all replicas that fetch have what their leader has."""
    for replica in partition.replicas_apart.values():
        if replica.fetches:
            replica.fetch()


def merge_equal(partition: "Partition") -> None:
    """Let the replicas that fetch, and are equal to their leader, share its log again."""
    apart = dict(partition.replicas_apart)
    for broker_id, replica in partition.replicas_apart.items():
        if replica.fetches and not replica.holds_offsets and replica.is_equal_to_leader():
            del apart[broker_id]
            if replica.log is not None and replica.log is not partition.log:
                replica.log.delete()
    set_replicas_apart(partition, apart)


def drop_replica(partition: "Partition", broker_id: int) -> None:
    """Delete the log of a replica that differs, because the broker holds none any more."""
    apart = dict(partition.replicas_apart)
    log = apart.pop(broker_id).log
    if log is not None and log is not partition.log:
        log.delete()
    set_replicas_apart(partition, apart)

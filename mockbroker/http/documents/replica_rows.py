"""Document of the replicas of a partition for people: a bounded part of what each has."""

from itertools import islice
from typing import Final

from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.replica_view import LeaderEpochView, ReplicaProducerView
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_entry import ProducerStateEntry
from mockbroker.state.topic.topic import Partition

EPOCHS_MAX: Final = 5
PRODUCERS_MAX: Final = 20


class ReplicaRow(View):
    """One replica, with its latest leader epochs and some of its producers."""

    broker: int
    is_in_sync: bool
    fetches: bool
    """False while it lags or its broker is away."""
    holds_offsets: bool
    """True while the leader's log start offset and high watermark do not arrive."""
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    leader_epochs: list[LeaderEpochView]
    """The latest ones, oldest first."""
    epoch_count: int
    producers: list[ReplicaProducerView]
    producer_count: int


class ReplicaRowsView(View):
    """The replicas of a partition, the preferred leader first."""

    replicas: list[ReplicaRow]


def replica_rows(partition: Partition) -> ReplicaRowsView:
    """Show the replicas; this does not create the log of an unused partition."""
    return ReplicaRowsView(replicas=[_row(partition, broker) for broker in partition.replicas])


def _row(partition: Partition, broker: int) -> ReplicaRow:
    log = partition.log_at(broker) or partition.log
    replica = partition.replicas_apart.get(broker)
    epochs = [] if log is None else list(log.leader_epochs)
    return ReplicaRow(
        broker=broker,
        is_in_sync=broker in partition.in_sync_replicas,
        fetches=replica is None or replica.fetches,
        holds_offsets=replica is not None and replica.holds_offsets,
        log_start_offset=0 if log is None else log.log_start_offset,
        last_stable_offset=0 if log is None else log.last_stable_offset,
        high_watermark=0 if log is None else log.high_watermark,
        log_end_offset=0 if log is None else log.log_end_offset,
        leader_epochs=[
            LeaderEpochView(leader_epoch=leader_epoch, start_offset=offset)
            for leader_epoch, offset in epochs[-EPOCHS_MAX:]
        ],
        epoch_count=len(epochs),
        producers=_producers(log),
        producer_count=0 if log is None else len(log.producers),
    )


def _producers(log: PartitionLog | None) -> list[ReplicaProducerView]:
    return [_producer(each) for each in islice(() if log is None else log.producers, PRODUCERS_MAX)]


def _producer(entry: ProducerStateEntry) -> ReplicaProducerView:
    return ReplicaProducerView(
        producer_id=entry.producer_id,
        producer_epoch=entry.producer_epoch,
        last_sequence=entry.last_sequence,
        last_offset=entry.last_data_offset,
        current_txn_first_offset=entry.current_txn_first_offset,
    )

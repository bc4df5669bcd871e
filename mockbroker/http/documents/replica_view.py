"""Documents of the replicas of a partition, each with what its own log has."""

from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.faults.documents.strict import View


class ReplicaProducerView(View):
    """A producer, as one replica knows it."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    """-1 if only a marker is known."""
    last_offset: int
    """-1 if only a marker is known."""
    current_txn_first_offset: int
    """-1 if no transaction is open."""


class LeaderEpochView(View):
    """A leader epoch, and its first offset."""

    leader_epoch: int
    start_offset: int


class ReplicaView(View):
    """One replica: the offsets, leader epochs and producers of its own log."""

    broker: int
    is_in_sync: bool
    fetches: bool
    """False while it lags or its broker is away."""
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    leader_epochs: list[LeaderEpochView]
    producers: list[ReplicaProducerView]


class ReplicasView(View):
    """The replicas of a partition, the preferred leader first."""

    replicas: list[ReplicaView]


def replica_view(replica: ReplicaHandle) -> ReplicaView:
    """Show a replica."""
    return ReplicaView(
        broker=replica.broker,
        is_in_sync=replica.is_in_sync,
        fetches=replica.fetches,
        log_start_offset=replica.log_start_offset,
        last_stable_offset=replica.last_stable_offset,
        high_watermark=replica.high_watermark,
        log_end_offset=replica.log_end_offset,
        leader_epochs=[
            LeaderEpochView(leader_epoch=leader_epoch, start_offset=start_offset)
            for leader_epoch, start_offset in replica.leader_epochs
        ],
        producers=[ReplicaProducerView(**each._asdict()) for each in replica.producers],
    )

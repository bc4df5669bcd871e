"""What happens in the state, as values that whoever listens may keep: nothing in them changes."""

from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import BatchHeader, Uuid
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata


class LogPosition(NamedTuple):
    """Where a partition's log stands after something has happened to it."""

    topic: str
    partition: int
    leader_id: int
    leader_epoch: int
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int


class BatchAppended(NamedTuple):
    """A batch was appended, or found to be a retry of one that the log remembers."""

    log: LogPosition
    header: BatchHeader
    """As it came; its base offset is not the log's."""
    base_offset: int
    last_offset: int
    is_duplicate: bool


class MarkerAppended(NamedTuple):
    """A transaction was ended in a partition."""

    log: LogPosition
    marker: EndTxnMarker
    offset: int


class TransactionChanged(NamedTuple):
    """A coordinator has logged a transition of a transactional id, or that it is gone."""

    broker: int
    partition: int
    """Of `__transaction_state`."""
    coordinator_epoch: int
    before: TransactionMetadata
    after: TransactionMetadata | None
    """None for one that has expired."""


class ProducersExpired(NamedTuple):
    """A log has forgotten producers that wrote nothing for long."""

    topic: str
    partition: int
    producer_ids: tuple[int, ...]


class GroupChanged(NamedTuple):
    """A group has entered a state."""

    group: str
    before: str
    after: str
    generation: int
    members: tuple[str, ...]


class LeaderElected(NamedTuple):
    """A replica leads a partition from now on, be it the same as before."""

    topic: str
    partition: int
    before: int
    after: int
    leader_epoch: int


class TopicCreated(NamedTuple):
    """There is a topic that was not."""

    topic: str
    topic_id: Uuid
    partitions: int


class TopicDeleted(NamedTuple):
    """There is a topic no more."""

    topic: str
    topic_id: Uuid


class LogStartMoved(NamedTuple):
    """Records at the start of a log are gone."""

    topic: str
    partition: int
    before: int
    after: int


class LogTruncated(NamedTuple):
    """Records at the end of a log are gone."""

    topic: str
    partition: int
    before: int
    after: int
    """The offset that the next record will have."""


class HighWatermarkMoved(NamedTuple):
    """A high watermark that does not follow its log's end has moved."""

    topic: str
    partition: int
    before: int
    after: int


StateHappening: TypeAlias = (
    BatchAppended
    | MarkerAppended
    | TransactionChanged
    | ProducersExpired
    | GroupChanged
    | LeaderElected
    | TopicCreated
    | TopicDeleted
    | LogStartMoved
    | LogTruncated
    | HighWatermarkMoved
)
"""Anything that happens in the state."""

"""Event types of the state: immutable values, which subscribers can store."""

from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import BatchHeader, Uuid
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata


class LogPosition(NamedTuple):
    """Offsets, leader and epoch of a partition's log right after an event."""

    topic: str
    partition: int
    leader_id: int
    leader_epoch: int
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int


class BatchAppended(NamedTuple):
    """A batch was appended, or detected as a duplicate of a recent one."""

    log: LogPosition
    header: BatchHeader
    """As the producer sent it; its base offset is not the log's."""
    base_offset: int
    last_offset: int
    is_duplicate: bool


class MarkerAppended(NamedTuple):
    """A transaction marker was appended to a partition."""

    log: LogPosition
    marker: EndTxnMarker
    offset: int


class TransactionChanged(NamedTuple):
    """A coordinator logged a transition of a transactional id, or its removal."""

    broker: int
    partition: int
    """Partition of `__transaction_state`."""
    coordinator_epoch: int
    before: TransactionMetadata
    after: TransactionMetadata | None
    """None for an expired transactional id."""


class ProducersExpired(NamedTuple):
    """A log removed the state of idle producers."""

    topic: str
    partition: int
    producer_ids: tuple[int, ...]


class GroupChanged(NamedTuple):
    """A group entered a state."""

    group: str
    before: str
    after: str
    generation: int
    members: tuple[str, ...]


Owned: TypeAlias = tuple[tuple[Uuid | str, int], ...] | bytes
"""Partitions by topic id, or tasks by subtopology; in a classic group the leader's bytes."""


class OwnedPartitions(NamedTuple):
    """What a member of a group owns: no other member may own it at the same time."""

    member_id: str
    member_epoch: int
    """Or the generation of a classic group; -1 for a member that is gone."""
    partitions: Owned


class PartitionsAssigned(NamedTuple):
    """What members own has changed, or a coordinator has loaded it."""

    group: str
    members: tuple[OwnedPartitions, ...]
    is_whole: bool
    """True if all other members own nothing."""


class CommittedOffset(NamedTuple):
    """A group's offset for a partition, and the end of the partition's log at that moment."""

    topic: str
    partition: int
    offset: int
    """-1 if it was removed."""
    log_end_offset: int | None
    """None if there is no such partition."""


class OffsetsCommitted(NamedTuple):
    """A group's offsets were committed or removed, or are pending in a transaction."""

    group: str
    member_id: str
    """Empty for a client that is no member, and for offsets of a transaction that has ended."""
    client_id: str | None
    """The client id of the member; None if there is none."""
    producer_id: int
    """The producer of the transaction; -1 for offsets that are committed outside of one."""
    is_pending: bool
    """True until the transaction has ended. The same offsets are reported again at its commit."""
    offsets: tuple[CommittedOffset, ...]
    begun: tuple[str, int] | None = None
    """The transactional id with which the member's client has begun a transaction since its last
    commit, and the number of the journal's entry; only a journal knows it."""


class SharePlace(NamedTuple):
    """A partition as a share group sees it, and the broker that an event is of."""

    group: str
    topic_id: Uuid
    partition: int
    broker: int
    """The leader of the partition; of `ShareStateReset` the share coordinator."""


class OffsetRange(NamedTuple):
    """Consecutive offsets with the same delivery count."""

    first_offset: int
    last_offset: int
    delivery_count: int


class AcknowledgedRange(NamedTuple):
    """Consecutive offsets with the same acknowledgement."""

    first_offset: int
    last_offset: int
    acknowledge_type: int
    """As in requests: 0 gap, 1 accept, 2 release, 3 reject, 4 renew."""


class RecordsAcquired(NamedTuple):
    """A member of a share group was given records."""

    place: SharePlace
    member_id: str
    delivery_count_max: int
    ranges: tuple[OffsetRange, ...]


class RecordsAcknowledged(NamedTuple):
    """Acknowledgements of a member were accepted, and stored unless they renew locks."""

    place: SharePlace
    member_id: str
    delivery_count_max: int
    ranges: tuple[AcknowledgedRange, ...]


class RecordsReleased(NamedTuple):
    """A share group's leader ended acquisitions, because locks expired or a session ended."""

    place: SharePlace
    member_id: str | None
    """The member whose session ended; None for expired locks."""
    delivery_count_max: int
    ranges: tuple[OffsetRange, ...]
    is_stored: bool
    """False if the share coordinator did not store it: a new leader does not know it."""


class RecordsArchived(NamedTuple):
    """Released records are not delivered again, after as many deliveries as the limit allows."""

    place: SharePlace
    delivery_count_max: int
    ranges: tuple[OffsetRange, ...]


class ShareStartMoved(NamedTuple):
    """The records of a share group before an offset are done, or deleted."""

    place: SharePlace
    before: int
    after: int


class SharePartitionLoaded(NamedTuple):
    """A leader has read a share partition; it does not know what was not stored."""

    place: SharePlace
    start_offset: int
    state_epoch: int


class ShareStateReset(NamedTuple):
    """A share coordinator began the state of a share partition anew, or deleted it."""

    place: SharePlace
    start_offset: int
    """-1 if the leader chooses it, or the state was deleted."""
    state_epoch: int | None
    """None if the state was deleted."""


ShareEvent: TypeAlias = (
    RecordsAcquired
    | RecordsAcknowledged
    | RecordsReleased
    | RecordsArchived
    | ShareStartMoved
    | SharePartitionLoaded
    | ShareStateReset
)
"""Any event of a share group's records."""


class LeaderElected(NamedTuple):
    """A leader was elected for a partition, possibly the same as before."""

    topic: str
    partition: int
    before: int
    after: int
    leader_epoch: int


class TopicCreated(NamedTuple):
    """A topic was created."""

    topic: str
    topic_id: Uuid
    partitions: int


class TopicDeleted(NamedTuple):
    """A topic was deleted."""

    topic: str
    topic_id: Uuid


class LogStartMoved(NamedTuple):
    """A log start offset moved: the records before it are deleted."""

    topic: str
    partition: int
    before: int
    after: int


class LogTruncated(NamedTuple):
    """A log lost records at its end."""

    topic: str
    partition: int
    before: int
    after: int
    """The offset of the next record."""
    broker: int | None = None
    """The only broker that had the records, if it was isolated; None if its partition lost them."""
    leader_epoch: int | None = None
    """The leader epoch under which that broker appended them."""


class HighWatermarkMoved(NamedTuple):
    """A high watermark that does not follow its log's end moved."""

    topic: str
    partition: int
    before: int
    after: int


StateEvent: TypeAlias = (
    BatchAppended
    | MarkerAppended
    | TransactionChanged
    | ProducersExpired
    | GroupChanged
    | PartitionsAssigned
    | OffsetsCommitted
    | ShareEvent
    | LeaderElected
    | TopicCreated
    | TopicDeleted
    | LogStartMoved
    | LogTruncated
    | HighWatermarkMoved
)
"""Any event of the state."""

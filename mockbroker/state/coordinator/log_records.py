"""Port for the records that the cluster itself writes and reads: markers, transactions, groups.

The state stores batches as opaque bytes and never parses records. It builds and reads these
records through this port, which the service layer implements with the codecs.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BatchHeader,
    Buffer,
    TimestampType,
)
from mockbroker.state.group.consumer.embedded_protocol import (
    EmbeddedAssignment,
    EmbeddedSubscription,
    NamedPartitions,
)
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.share.share_log_record import ShareLogRecord
from mockbroker.state.transaction.transaction_log import TransactionLogValue


class BatchStamps(NamedTuple):
    """The fields that a partition's leader sets in a batch that it writes itself."""

    base_offset: int
    leader_epoch: int
    timestamp_ms: int


class BatchWriter(NamedTuple):
    """The producer in whose transaction a batch is written; the defaults mean no producer."""

    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    base_sequence: int = NO_SEQUENCE


NOBODY: Final = BatchWriter()


class GroupValueVersions(NamedTuple):
    """The versions of the record values in `__consumer_offsets`."""

    offset: int
    group: int


class LogRecords(BatchReader, Protocol):
    """Builder and reader of the batches whose contents the state interprets."""

    def build_end_txn_marker(
        self,
        marker: EndTxnMarker,
        *,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        """Return a transactional control batch of one record, complete with its checksum."""
        ...

    def build_transaction_record(
        self,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        value_version: int,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
    ) -> tuple[BatchHeader, bytearray]:
        """Return a batch of one record of `__transaction_state`; a `value` of None is a tombstone.

        Version 0 leaves out the fields that it does not have. Version 1 contains the extra tagged
        field for `last_producer_epoch` only if that is not -1.
        """
        ...

    def build_group_records(
        self,
        records: Sequence[GroupLogRecord],
        *,
        versions: GroupValueVersions,
        stamps: BatchStamps,
        writer: BatchWriter = NOBODY,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        """Return a batch of records of `__consumer_offsets`, in the transaction of its writer."""
        ...

    def build_share_record(
        self, record: ShareLogRecord, stamps: BatchStamps
    ) -> tuple[BatchHeader, bytearray]:
        """Return a batch of one record of `__share_group_state`."""
        ...

    def read_transaction_records(
        self, data: Buffer
    ) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield transactional ids and their values, None for a tombstone, in the log's order.

        Records that are not the transaction log's, such as control records, are left out.
        """
        ...

    def read_group_records(self, data: Buffer) -> Iterator[GroupLogRecord]:
        """Yield the group records of a batch that is not a control batch, in the log's order.

        Records of other types are left out.
        """
        ...

    def read_share_records(self, data: Buffer) -> Iterator[ShareLogRecord]:
        """Yield the share partitions' records of a batch, in the log's order."""
        ...

    def read_subscribed_topics(self, data: bytes) -> frozenset[str] | None:
        """Return the topics in a consumer's subscription, or None if `data` is no subscription."""
        ...

    def read_subscription(self, data: bytes) -> EmbeddedSubscription | None:
        """Return a consumer's subscription, or None if `data` is no subscription."""
        ...

    def read_assignment(self, data: bytes) -> EmbeddedAssignment | None:
        """Return a consumer's assignment, or None if `data` is no assignment."""
        ...

    def write_assignment(self, partitions: NamedPartitions, subscription: bytes) -> bytes:
        """Return an assignment in the version of a member's subscription."""
        ...

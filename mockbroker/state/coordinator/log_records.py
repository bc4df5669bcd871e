"""The records that the cluster itself writes and reads back: markers, transactions, groups.

State keeps batches as a header and opaque bytes. What it needs of record bodies goes through this
port; the shell implements it with the codecs.
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
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_log_value import TransactionLogValue


class BatchStamps(NamedTuple):
    """What the leader of a partition gives a batch that it writes itself."""

    base_offset: int
    leader_epoch: int
    timestamp_ms: int


class BatchWriter(NamedTuple):
    """In whose transaction a batch is written; without one, the fields say so."""

    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    base_sequence: int = NO_SEQUENCE


NOBODY: Final = BatchWriter()


class GroupValueVersions(NamedTuple):
    """The versions of the values in `__consumer_offsets`."""

    offset: int
    group: int


class LogRecords(Protocol):
    """Builds and reads the batches whose contents mean something to the state."""

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
        """Return a batch of one record of `__transaction_state`; without a value, a tombstone.

        Version 0 leaves out all that it cannot hold. In version 1 the extra tagged field for
        `last_producer_epoch` stands only where that is not -1.
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

    def read_header(self, data: Buffer) -> BatchHeader:
        """Return the header of a batch as it lies in a log."""
        ...

    def read_end_txn_marker(self, data: Buffer) -> EndTxnMarker | None:
        """Return the marker in a control batch, or None where it is of another type."""
        ...

    def read_transaction_records(
        self, data: Buffer
    ) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield transactional ids and their values, None for a tombstone, in the log's order.

        Records that are not the transaction log's, such as control records, are left out.
        """
        ...

    def read_group_records(self, data: Buffer) -> Iterator[GroupLogRecord]:
        """Yield what a batch that is no control batch tells of groups, in the log's order.

        Records of other kinds are left out.
        """
        ...

    def read_subscribed_topics(self, data: bytes) -> frozenset[str] | None:
        """Return the topics that a consumer says it subscribes to; None where it does not say."""
        ...

"""The records that the cluster itself writes and reads back: markers and transaction metadata.

State keeps batches as a header and opaque bytes. What it needs of record bodies goes through this
port; the shell implements it with the codecs.
"""

from collections.abc import Iterator
from typing import Protocol

from mockbroker.protocol.types import BatchHeader, Buffer, TimestampType
from mockbroker.state.log.end_txn_marker import EndTxnMarker
from mockbroker.state.log.transaction_log_value import TransactionLogValue


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

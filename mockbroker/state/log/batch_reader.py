"""Port through which a log reads its own batches.

The state stores batches as opaque bytes; the broker implements the port with the codecs.
"""

from typing import Protocol

from mockbroker.protocol.types import BatchHeader, Buffer
from mockbroker.state.producer.end_txn_marker import EndTxnMarker


class BatchReader(Protocol):
    """Reads the header of a stored batch, and the marker of a control batch."""

    def read_header(self, data: Buffer) -> BatchHeader:
        """Return the header of a batch as stored in a log."""
        ...

    def read_end_txn_marker(self, data: Buffer) -> EndTxnMarker | None:
        """Return the marker in a control batch, or None for another type of control record."""
        ...

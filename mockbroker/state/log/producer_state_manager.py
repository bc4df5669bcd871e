"""All producers of one partition: who may append next, and which batches are retries.

The laws:

1. Check, append to the log, update: `check` changes nothing, and `update` cannot fail. What
   happens in between (no memory left, a fault) leaves the producers as they were.
2. State belongs to the partition, not to the records: it outlives DeleteRecords and retention, and
   a retry of a batch that is gone is still answered with its old offset (KIP-360). Only
   `remove_expired_producers` forgets.
3. A producer expires by the timestamps of its batches, which are the client's own, as in Kafka.
"""

from collections.abc import Iterator

from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.producer_append_info import ProducerAppendInfo, ProducerStateOptions
from mockbroker.state.log.producer_state_entry import BatchMetadata, ProducerStateEntry


class ProducerStateManager:
    """The producers of a partition by producer id (Kafka's `ProducerStateManager`)."""

    __slots__ = ("_entries", "options")

    def __init__(self, options: ProducerStateOptions) -> None:
        """Start without producers; `options` may be replaced at any time."""
        self.options = options
        self._entries: dict[int, ProducerStateEntry] = {}

    def __len__(self) -> int:
        """Count the producers."""
        return len(self._entries)

    def __iter__(self) -> Iterator[ProducerStateEntry]:
        """Yield the producers' entries, in the order in which they first appended."""
        return iter(self._entries.values())

    def last_entry(self, producer_id: int) -> ProducerStateEntry | None:
        """Return what is known of a producer."""
        return self._entries.get(producer_id)

    def check(self, header: BatchHeader) -> ProducerStateEntry | BatchMetadata:
        """Check a batch of a producer that has an id, and change nothing.

        Return the entry to give to `update` once the batch is appended, or, for a retry of one of
        the last five batches, the metadata of that batch.

        Raises:
            ApiError: INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID.

        """
        entry = self._entries.get(header.producer_id)
        if (
            entry is not None
            and header.base_sequence == entry.last_sequence + 1
            and header.producer_epoch == entry.producer_epoch
        ):
            # In sequence without a wrap, so it cannot repeat one of five batches either: together
            # they would have to hold all 2^31 sequences.
            return entry
        return self._check_in_full(entry, header)

    def update(self, entry: ProducerStateEntry, header: BatchHeader, base_offset: int) -> None:
        """Take in a batch that `check` gave `entry` for, appended at `base_offset`."""
        entry.add_batch(
            header.base_sequence, base_offset, header.last_offset_delta, header.max_timestamp
        )
        self._entries[entry.producer_id] = entry

    def remove_expired_producers(self, now_ms: int) -> list[int]:
        """Forget the producers whose last batch is `producer.id.expiration.ms` old; say which."""
        oldest_kept_ms = now_ms - self.options.producer_id_expiration_ms
        expired = [
            producer_id
            for producer_id, entry in self._entries.items()
            if entry.last_timestamp_ms <= oldest_kept_ms
        ]
        for producer_id in expired:
            del self._entries[producer_id]
        return expired

    def _check_in_full(
        self, entry: ProducerStateEntry | None, header: BatchHeader
    ) -> ProducerStateEntry | BatchMetadata:
        if entry is not None:
            duplicate = entry.find_duplicate_batch(
                header.producer_epoch, header.base_sequence, header.last_sequence
            )
            if duplicate is not None:
                return duplicate
        append_info = ProducerAppendInfo(header.producer_id, entry, self.options)
        append_info.check_data_batch(header)
        return append_info.updated_entry(header)

"""Options for the producers of a partition, by release and by broker configuration."""

from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode


class ProducerStateOptions(NamedTuple):
    """Differences between releases in the handling of producers and transactions in a log.

    The defaults are those of the latest release.
    """

    accepts_unknown_producer: bool = True
    """Accept any first sequence from a producer without state (KIP-360, since 2.5)."""
    unknown_producer_error: ErrorCode = ErrorCode.UNKNOWN_PRODUCER_ID
    """The error if only 0 is accepted as first sequence; OUT_OF_ORDER_SEQUENCE_NUMBER on 0.11."""
    unknown_sequence_error: ErrorCode = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    """The error for a sequence other than 0 if only a marker is known of its epoch.

    UNKNOWN_PRODUCER_ID from 2.0 to 2.4.
    """
    batches_retained: int = 5
    """The number of batches per producer in which retries are found; 1 on 0.11 (KAFKA-5494)."""
    outlives_records: bool = True
    """Keep a producer's state when its last record is deleted (KIP-360, since 2.4)."""
    marker_is_last_batch: bool = False
    """Replace the last batch by a marker, so that its retry is not recognised; on 0.11."""
    marker_counts_as_activity: bool = True
    """Count a marker's timestamp for the expiry of its producer; not from 1.0 to 2.3."""
    fences_coordinators_batches: bool = True
    """Check the epoch of offsets that a group commits in a producer's name, since 2.4."""
    completes_empty_transactions: bool = False
    """Index a marker without an open transaction as a transaction of its own, up to 2.4."""
    counts_offsets_by_sequence: bool = False
    """Compute a batch's offset delta from its sequences, up to 1.1.

    This is wrong if the sequences wrap: the batch's first offset is then far off. (KAFKA-6739)
    """
    stable_within_batches: bool = False
    """Let the log start offset be stable, even within a batch of an open transaction, up to 3.9.

    From 4.0 on the last stable offset is then the start of that batch.
    """
    verifies_transactions: bool = False
    """Require the first batch of a transaction to be verified (KIP-890, since 3.6).

    Set by `transaction.partition.verification.enable`.
    """
    verifies_offsets: bool = True
    """Require it of offsets that a group commits in a producer's name, too; not in 3.6."""
    verifies_producer_epoch: bool = True
    """Check the epoch before verification, since 4.0.

    An older epoch is fenced, and a newer one means another transaction. Before 4.0, any open
    transaction of the producer was accepted.
    """
    duplicate_without_metadata: bool = False
    """Answer a retry older than all remembered batches with DUPLICATE_SEQUENCE_NUMBER (KIP-192).

    1.0.0 and 1.0.1 did so. All others answer OUT_OF_ORDER_SEQUENCE_NUMBER.
    """
    remembers_refused_batches: bool = False
    """Remember a batch outside of its producer's open transaction, although it is refused.

    1.0.0 and 1.0.1 did so: they updated the producer's state before the check. The offsets that
    they remember are those that the batch would have had.
    """
    producer_id_expiration_ms: int = 86_400_000
    """`producer.id.expiration.ms`; before 3.4 it is `transactional.id.expiration.ms`."""

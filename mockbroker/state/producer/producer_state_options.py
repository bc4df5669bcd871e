"""How the producers of a partition are treated: by release, and by a broker's configuration."""

from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode


class ProducerStateOptions(NamedTuple):
    """All in which releases differ about producers and their transactions in a log.

    The defaults are those of the latest release.
    """

    accepts_unknown_producer: bool = True
    """Whether any first sequence is taken from a producer without state (KIP-360, since 2.5)."""
    unknown_producer_error: ErrorCode = ErrorCode.UNKNOWN_PRODUCER_ID
    """What else a first sequence other than 0 is answered; OUT_OF_ORDER_SEQUENCE_NUMBER on 0.11."""
    unknown_sequence_error: ErrorCode = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    """What a sequence other than 0 is answered where of its epoch only a marker is known.

    From 2.0 to 2.4 it is UNKNOWN_PRODUCER_ID.
    """
    batches_retained: int = 5
    """How many batches of a producer are remembered for its retries; 1 on 0.11 (KAFKA-5494)."""
    outlives_records: bool = True
    """Whether a producer is still known when its last record is deleted (KIP-360, since 2.4)."""
    marker_is_last_batch: bool = False
    """Whether a marker takes the place of the last batch, so that one is no retry's; on 0.11."""
    marker_counts_as_activity: bool = True
    """Whether a marker's time puts off the expiry of its producer; not from 1.0 to 2.3."""
    fences_coordinators_batches: bool = True
    """Whether offsets that a group commits in a producer's name are fenced, since 2.4."""
    completes_empty_transactions: bool = False
    """Whether a marker with nothing to end is a transaction of its own in the index, up to 2.4."""
    counts_offsets_by_sequence: bool = False
    """Whether a batch is taken to be as long as its sequences are apart, up to 1.1.

    It is not where they wrap: such a batch's first offset is then far off. (KAFKA-6739)
    """
    stable_within_batches: bool = False
    """Whether an open transaction is stable up to the log start, even within a batch, up to 3.9.

    From 4.0 on it is up to the start of the batch in which the log starts.
    """
    verifies_transactions: bool = False
    """Whether a transaction's first batch has to be verified (KIP-890, since 3.6).

    It follows `transaction.partition.verification.enable`.
    """
    verifies_producer_epoch: bool = True
    """Whether that looks at the epoch first, since 4.0.

    An older epoch is fenced, and a newer one is another transaction; before, any open transaction
    of the producer will do.
    """
    duplicate_without_metadata: bool = False
    """Whether a retry older than all batches remembered is DUPLICATE_SEQUENCE_NUMBER.

    Kafka answers OUT_OF_ORDER_SEQUENCE_NUMBER in every release; this is what KIP-192 meant.
    """
    producer_id_expiration_ms: int = 86_400_000
    """`producer.id.expiration.ms`; before 3.4 it is `transactional.id.expiration.ms`."""

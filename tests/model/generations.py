"""Differences between Kafka's releases in the producer state of a partition.

This table belongs to the model. It follows Kafka's source and recordings, not mockbroker's
options, so that a mistake in a preset shows as a difference.
"""

from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode


class Generation(NamedTuple):
    """Behaviour of one release; the defaults are those of 4.4."""

    release: str
    batches_kept: int = 5
    unknown_producer: ErrorCode = ErrorCode.NONE
    """The answer to a producer without state that does not start at sequence 0."""
    unknown_sequence: ErrorCode = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    """Answer if the producer's epoch is known by a marker only, and the sequence is not 0."""
    marker_replaces_batch: bool = False
    """True if a marker replaces the remembered batch."""
    marker_keeps_alive: bool = True
    """True if a marker's timestamp counts when producers expire."""
    counts_offsets_by_sequence: bool = False
    """True if a batch's first offset is computed from its sequences, even if they wrap."""
    state_dies_with_log: bool = False
    lists_empty_aborts: bool = False
    """True if an abort without data is listed among the aborted transactions."""
    stable_within_batches: bool = False
    """True if the first unstable offset may be a log start inside a batch."""
    verifies: bool = True
    """True if transactions are verified with their coordinator before the first append."""
    fences_before_verifying: bool = True
    """True if an old epoch is refused before verification, and does not count as ongoing."""
    knows_transaction_version_2: bool = True
    expiration_config: str = "producer.id.expiration.ms"
    """Expiry of an idle producer; before 3.4 the same as that of transactional ids."""


KAFKA_4_4 = Generation("4.4")
KAFKA_3_9 = KAFKA_4_4._replace(
    release="3.9",
    stable_within_batches=True,
    fences_before_verifying=False,
    knows_transaction_version_2=False,
)
KAFKA_2_8 = KAFKA_3_9._replace(
    release="2.8", verifies=False, expiration_config="transactional.id.expiration.ms"
)
KAFKA_2_4 = KAFKA_2_8._replace(
    release="2.4",
    unknown_producer=ErrorCode.UNKNOWN_PRODUCER_ID,
    unknown_sequence=ErrorCode.UNKNOWN_PRODUCER_ID,
    lists_empty_aborts=True,
)
KAFKA_2_3 = KAFKA_2_4._replace(release="2.3", state_dies_with_log=True, marker_keeps_alive=False)
KAFKA_1_1 = KAFKA_2_3._replace(
    release="1.1",
    unknown_sequence=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    counts_offsets_by_sequence=True,
)
KAFKA_0_11 = KAFKA_1_1._replace(
    release="0.11",
    batches_kept=1,
    unknown_producer=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    marker_replaces_batch=True,
    marker_keeps_alive=True,
)
GENERATIONS = (KAFKA_0_11, KAFKA_1_1, KAFKA_2_3, KAFKA_2_4, KAFKA_2_8, KAFKA_3_9, KAFKA_4_4)

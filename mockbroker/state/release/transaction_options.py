"""Differences between releases in transactions, outside of the log: a part of `Options`."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class TransactionOptions(NamedTuple):
    """Behaviour of the transactional APIs. The defaults are those of the latest release."""

    internal_topic_refusal: ErrorCode = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    """The error of AddPartitionsToTxn for an internal topic."""
    adds_missing_partitions: bool = False
    """True if AddPartitionsToTxn accepts any partition of an existing topic (1.1)."""
    adds_repeated_partitions_once: bool = False
    """True if AddPartitionsToTxn returns a partition that it names twice once (up to 2.8)."""
    adding_bumps_epochs: bool = True
    """True if AddPartitionsToTxn v4 implies a client whose epoch is bumped (KIP-890, part 2)."""
    adding_awaits_pending_first: bool = True
    """True if a pending transition is checked before producer id and epoch (KIP-890)."""
    ending_accepts_epoch_ahead: bool = False
    """True if EndTxn rejects only lower epochs; a higher one then gets stuck (up to 2.4)."""
    fencing_keeps_last_epoch: bool = False
    """True if a producer may bump its epoch although that aborts its own transaction (2.5).

    InitProducerId fences such a producer before it aborts. Its retry is then recognised by the
    epoch before the fence, which is dropped since 2.8.
    """
    previous_producer_id_stays: bool = False
    """True if a producer id without epochs left stays known until the next InitProducerId."""
    start_outlives_initialisation: bool = False
    """True if InitProducerId preserves the start time of the last transaction (before 4.0).

    Its record does not have it: after loading, the start time is unknown.
    """
    describes_producers_of_any_topic: bool = False
    """True if DescribeProducers has no messages, and accepts invalid topic names (2.8)."""
    unverified_code: ErrorCode = ErrorCode.TRANSACTION_ABORTABLE
    """The error of AddPartitionsToTxn for a verified partition that was not added (KIP-890)."""
    offsets_need_group: bool = True
    """True if TxnOffsetCommit rejects an empty group id."""
    offsets_need_member_and_generation: bool = False
    """True if TxnOffsetCommit checks member id and generation separately (2.8, KIP-447)."""
    offsets_without_topic: ErrorCode = ErrorCode.COORDINATOR_NOT_AVAILABLE
    """The error of TxnOffsetCommit before `__consumer_offsets` exists, if it is verified."""
    offsets_need_partition: bool = True
    """True if offsets are stored only for existing partitions; otherwise for any of a topic."""


TRANSACTIONS_OF_0_11: Final = TransactionOptions(
    internal_topic_refusal=ErrorCode.OPERATION_NOT_ATTEMPTED,
    adds_repeated_partitions_once=True,
    adding_bumps_epochs=False,
    adding_awaits_pending_first=False,
    ending_accepts_epoch_ahead=True,
    previous_producer_id_stays=True,
    start_outlives_initialisation=True,
    describes_producers_of_any_topic=True,
    offsets_need_group=False,
    offsets_need_member_and_generation=True,
    offsets_without_topic=ErrorCode.NOT_COORDINATOR,
    offsets_need_partition=False,
)

"""What releases differ in about transactions, beyond the log: a part of `Options`."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class TransactionOptions(NamedTuple):
    """How the transactional APIs behave. The defaults are those of the latest release."""

    internal_topic_refusal: ErrorCode = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    """What AddPartitionsToTxn answers a client for a topic that only brokers write to."""
    adds_missing_partitions: bool = False
    """Whether AddPartitionsToTxn takes any partition of a topic that there is, on 1.1."""
    adds_repeated_partitions_once: bool = False
    """Whether AddPartitionsToTxn answers a partition that it names twice once, up to 2.8."""
    adding_bumps_epochs: bool = True
    """Whether AddPartitionsToTxn v4 stands for a client whose epoch is bumped (KIP-890, part 2)."""
    adding_awaits_pending_first: bool = True
    """Whether a pending transition is looked at before producer id and epoch (KIP-890)."""
    ending_accepts_epoch_ahead: bool = False
    """Whether EndTxn refuses only epochs that are behind; one ahead then gets stuck (until 2.4)."""
    previous_producer_id_stays: bool = False
    """Whether a producer id that ran out of epochs is known until the next InitProducerId."""
    start_outlives_initialisation: bool = False
    """Whether InitProducerId leaves the time at which the last transaction began, before 4.0.

    Its record does not: what loads it knows no such time.
    """
    describes_producers_of_any_topic: bool = False
    """Whether DescribeProducers has no texts, and takes names that no topic can have (2.8)."""
    offsets_need_group: bool = True
    """Whether TxnOffsetCommit refuses an empty group id."""
    offsets_need_member_and_generation: bool = False
    """Whether TxnOffsetCommit checks member id and generation each by itself, on 2.8 (KIP-447)."""
    offsets_without_topic: ErrorCode = ErrorCode.COORDINATOR_NOT_AVAILABLE
    """What TxnOffsetCommit is answered before there is `__consumer_offsets`, if it is verified."""
    offsets_need_partition: bool = True
    """Whether offsets are only kept for partitions that exist, or for any of a topic."""


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

"""A copy of a log, independent of the original from then on."""

from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_manager import ProducerStateManager


def copy_of_log(log: PartitionLog, *, now_ms: int) -> PartitionLog:
    """Return a log with the same batches, by reference, and the same offsets, epochs and producers.

    Verifications that are under way stay with the original: they are the leader's. The memory
    budget is charged only for what is appended to the copy, so the caller must delete it.
    """
    made = PartitionLog(
        log.topic_partition,
        log.config,
        budget=log.segments.budget,
        producer_options=log.producers.options,
        now_ms=now_ms,
    )
    made.segments = log.segments.copy()
    made.leader_epochs = log.leader_epochs.copy()
    made.log_start_offset = log.log_start_offset
    made.checkpointed_start_offset = log.checkpointed_start_offset
    made.high_watermark = log.high_watermark
    made.hold_high_watermark()  # a follower learns it from its leader
    made.log_end_offset = log.log_end_offset
    made.assign_leader_epoch(log.leader_epochs.latest_epoch)
    made.timestamp_shifts = log.timestamp_shifts.copy()
    made.transaction_index = log.transaction_index.copy()
    made.producers = copy_of_producers(log.producers, made)
    return made


def copy_of_producers(producers: ProducerStateManager, owner: PartitionLog) -> ProducerStateManager:
    """Return the same producers and open transactions, for the log of another replica."""
    made = ProducerStateManager(producers.options, owner.timestamp_shifts)
    for entry in producers:
        made.load_entry(entry.copy())
    made.transactions = producers.transactions.copy()
    made.irregular |= producers.irregular
    return made

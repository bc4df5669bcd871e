"""A copy of a log, independent of the original from then on."""

from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.log.log_truncation import learn_producers_anew
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_manager import ProducerStateManager


def copy_of_log(log: PartitionLog, records: BatchReader, *, now_ms: int) -> PartitionLog:
    """Return a log with the same batches, by reference, and the same offsets, epochs and producers.

    The copy is charged to the memory budget like any other log, so the caller must delete it.
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
    made.high_watermark = log.high_watermark
    made.log_end_offset = log.log_end_offset
    made.assign_leader_epoch(log.leader_epochs.latest_epoch)
    made.timestamp_shifts = log.timestamp_shifts.copy()
    made.producers = ProducerStateManager(log.producers.options, made.timestamp_shifts)
    known = [entry.snapshot() for entry in log.producers]
    learn_producers_anew(made, known, records, now_ms=now_ms)
    return made

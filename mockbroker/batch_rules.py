"""By what rules a partition judges produced batches: its topic's configs and its release."""

from mockbroker.protocol.records.batch_rules import BatchRules, ReleaseRules
from mockbroker.protocol.records.refusal import Scope
from mockbroker.state.options import Options
from mockbroker.state.topic.topic import Partition


def batch_rules(options: Options, partition: Partition) -> BatchRules:
    """Say by what rules a partition judges batches, from its topic's configs and the release."""
    config = partition.config
    return BatchRules(
        topic_partition=str(partition.topic_partition),
        release=release_rules(options),
        max_message_bytes=config.max_message_bytes,
        is_compacted=config.log.cleanup_compact,
        timestamp_type=config.message_timestamp_type,
        timestamp_before_max_ms=config.message_timestamp_before_max_ms,
        timestamp_after_max_ms=config.message_timestamp_after_max_ms,
        decompressed_bytes_max=config.max_decompressed_message_bytes,
    )


def release_rules(options: Options) -> ReleaseRules:
    """Say what the release that a cluster behaves like asks of batches."""
    return ReleaseRules(
        collects_record_errors=options.collects_record_errors,
        accepts_log_append_time=options.accepts_log_append_time,
        skips_compressed_bodies=options.skips_compressed_bodies,
        malformed_scope=(
            Scope.CONNECTION if options.malformed_records_close_connection else Scope.REQUEST
        ),
    )

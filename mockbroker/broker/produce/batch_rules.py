"""Validation rules for the batches of a partition, from its topic's configs and the release."""

from collections.abc import Mapping
from typing import Final

from mockbroker.broker.service import Service
from mockbroker.protocol.records.validation.batch_rules import BatchRules, ReleaseRules
from mockbroker.protocol.records.validation.refusal import Scope
from mockbroker.protocol.types import Compression
from mockbroker.state.release.options import Options
from mockbroker.state.topic.topic import Partition

CODECS: Final[Mapping[str, Compression]] = {"uncompressed": Compression.NONE} | {
    codec.name.lower(): codec for codec in Compression if codec
}
"""Values of `compression.type` that name a codec; with `producer`, batches keep their own."""

FIRST_WITH_ZSTD: Final = 7
"""First version of Produce that may have batches in zstd (KIP-110)."""
_RULES_KEPT: Final = 10_000


def batch_rules_of(service: Service, partition: Partition) -> BatchRules:
    """Return the validation rules of a partition, rebuilt when its config changes."""
    known = service.batch_rules.get(partition)
    if known is None or known[0] is not partition.config:
        if len(service.batch_rules) > _RULES_KEPT:
            service.batch_rules.clear()  # most are of deleted topics
        known = (partition.config, batch_rules(service.cluster.options, partition))
        service.batch_rules[partition] = known
    return known[1]


def batch_rules(options: Options, partition: Partition) -> BatchRules:
    """Return the validation rules of a partition."""
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
        codec=CODECS.get(config.compression_type),
    )


def release_rules(options: Options) -> ReleaseRules:
    """Return the validation rules that depend on the emulated release."""
    produce = options.produce
    return ReleaseRules(
        collects_record_errors=produce.collects_record_errors,
        accepts_log_append_time=produce.accepts_log_append_time,
        skips_compressed_bodies=produce.skips_compressed_bodies,
        believes_fields=produce.believes_fields,
        malformed_scope=(
            Scope.CONNECTION if produce.malformed_records_close_connection else Scope.REQUEST
        ),
        sums_up_record_errors=produce.record_errors_are_summed_up,
        ends_with_period=produce.record_errors_end_with_period,
        null_scope=(Scope.CONNECTION if produce.null_records_close_connection else Scope.PARTITION),
        null_code=produce.null_records_code,
        foreign_scope=(
            Scope.CONNECTION if produce.foreign_batches_close_connection else Scope.PARTITION
        ),
        newest_codec=int(produce.newest_codec),
        checks_last_offset_delta=produce.checks_last_offset_delta,
        accepts_empty_set=produce.accepts_empty_message_set,
        mixes_formats=produce.mixes_record_formats,
    )

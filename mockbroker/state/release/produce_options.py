"""Differences between releases in Produce: a part of `Options`."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Compression


class ProduceOptions(NamedTuple):
    """Validation of produced records, and the errors for rejected ones."""

    legacy_versions_close_connection: bool
    """True if Produce v0-2, although advertised, closes the connection (KIP-896, since 4.0)."""
    collects_record_errors: bool
    """True if the error of a batch lists every rejected record; otherwise the first (KIP-467)."""
    record_errors_are_summed_up: bool
    """True if the error message counts the rejected records, and quotes the first."""
    record_errors_end_with_period: bool
    """True if the error message about a record without a key ends with a period."""
    accepts_log_append_time: bool
    """True if a producer's batch with LogAppendTime is accepted, and its attribute cleared."""
    skips_compressed_bodies: bool
    """True if keys and values of compressed records are skipped (`PartialDefaultRecord`)."""
    believes_fields: bool
    """True if the fields of such records are accepted even if they contradict their length."""
    malformed_records_close_connection: bool
    """True if bytes without a batch close the connection; otherwise the whole request fails."""
    null_records_close_connection: bool
    """True if null records close the connection."""
    foreign_batches_close_connection: bool
    """True if several batches or an old format close the connection, not fail the partition."""
    newest_codec: Compression
    """The newest codec that brokers support (KIP-110 added zstd)."""
    checks_last_offset_delta: bool
    """True if a wrong last offset delta is rejected; otherwise it is corrected."""
    accepts_empty_message_set: bool
    """True if Produce v0-2 without a complete message succeeds, and appends nothing."""
    mixes_record_formats: bool
    """True if Produce v0-2 may contain batches after messages."""
    invalid_record_code: ErrorCode
    """The error for records that break the rules (KIP-467 added a code)."""
    refusals_without_log_start_offset: frozenset[ErrorCode]
    """The errors for records without a log start offset in the response (KIP-467)."""
    looks_for_partition_first: bool
    """True if an unknown partition gets its own error even when acks is invalid."""
    transactional_needs_id: bool
    """True if a transactional batch in a request without a transactional id is rejected."""
    unverified_has_message: bool
    """True if every error of a verification has a message (KIP-890, 3.6)."""
    lost_verification_is_retriable: bool
    """True if a verification whose response is lost fails with NOT_ENOUGH_REPLICAS (KIP-890)."""
    null_records_code: ErrorCode
    """The error for null records, if they do not close the connection."""


PRODUCE_OF_0_11: Final = ProduceOptions(
    legacy_versions_close_connection=False,
    collects_record_errors=False,
    record_errors_are_summed_up=False,
    record_errors_end_with_period=True,
    accepts_log_append_time=False,
    skips_compressed_bodies=False,
    believes_fields=False,
    malformed_records_close_connection=True,
    null_records_close_connection=True,
    foreign_batches_close_connection=True,
    newest_codec=Compression.LZ4,
    checks_last_offset_delta=False,
    accepts_empty_message_set=True,
    mixes_record_formats=True,
    invalid_record_code=ErrorCode.CORRUPT_MESSAGE,
    refusals_without_log_start_offset=frozenset(
        {ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_TIMESTAMP}
    ),
    looks_for_partition_first=False,
    transactional_needs_id=False,
    unverified_has_message=False,
    lost_verification_is_retriable=True,
    null_records_code=ErrorCode.INVALID_RECORD,
)
"""Options of Kafka 0.11; `changes/` has the changes of later releases."""

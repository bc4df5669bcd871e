"""How a release judges produced records: what its presets say of Produce."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Compression


class ProduceOptions(NamedTuple):
    """What Produce refuses, with which answer, and what it accepts."""

    legacy_versions_close_connection: bool
    """Whether Produce v0-2, although advertised, ends the connection (KIP-896, since 4.0)."""
    collects_record_errors: bool
    """Whether a refused batch is answered with every refused record, or the first (KIP-467)."""
    record_errors_are_summed_up: bool
    """Whether the text about refused records counts them, and quotes the first."""
    record_errors_end_with_period: bool
    """Whether the text about a record without a key ends with a period."""
    accepts_log_append_time: bool
    """Whether a batch that a producer marked LogAppendTime is accepted, its mark removed."""
    skips_compressed_bodies: bool
    """Whether keys and values of compressed records are skipped (`PartialDefaultRecord`)."""
    believes_fields: bool
    """Whether the fields of such records are believed where their length says another thing."""
    malformed_records_close_connection: bool
    """Whether bytes that hold no batch end the connection, or fail the whole request."""
    null_records_close_connection: bool
    """Whether null instead of records ends the connection."""
    foreign_batches_close_connection: bool
    """Whether more than one batch, or an old format, ends the connection, or fails the partition.
    """
    newest_codec: Compression
    """The last codec that brokers know (KIP-110 brought zstd)."""
    checks_last_offset_delta: bool
    """Whether a last offset delta that does not fit the count is refused, or mended."""
    accepts_empty_message_set: bool
    """Whether Produce v0-2 without one whole message succeeds, with nothing appended."""
    mixes_record_formats: bool
    """Whether Produce v0-2 may bring batches behind messages."""
    invalid_record_code: ErrorCode
    """What records that break the rules are answered with (KIP-467 gave them a code)."""
    refusals_without_log_start_offset: frozenset[ErrorCode]
    """Which refusals of records do not tell where the log begins (KIP-467)."""
    looks_for_partition_first: bool
    """Whether an unknown partition is refused as such even when acks are none that there are."""
    transactional_needs_id: bool
    """Whether a transactional batch is refused where the request names no transactional id."""


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
)
"""As Kafka 0.11 does it; what later releases changed is told in `options.py`."""

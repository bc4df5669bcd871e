"""Validation rules for produced batches: those of a release, and those of a topic."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.validation.refusal import Scope
from mockbroker.protocol.types import Compression, TimestampType

LONG_MAX: Final = (1 << 63) - 1

# Limits that Kafka does not have: a few hundred bytes may hold millions of records or headers.

UNPACKED_BYTES_MAX: Final = 32 << 20
"""Decompressed size of a batch, unless four times its compressed size is more."""
UNPACKED_RATIO: Final = 4
COMPRESSED_RECORDS_MAX: Final = 100_000
"""Records of a compressed batch."""
HEADERS_MAX: Final = 10_000
"""Headers of a record."""


class ReleaseRules(NamedTuple):
    """Differences between releases in the validation of a produced batch."""

    collects_record_errors: bool
    """Report each rejected record with a reason, not only the first one without a reason."""
    accepts_log_append_time: bool
    """Accept a batch that a producer marked LogAppendTime, and clear the mark."""
    skips_compressed_bodies: bool
    """Skip keys and values of compressed records (`PartialDefaultRecord`)."""
    malformed_scope: Scope
    """Scope of the error if the bytes hold no batch at all."""
    believes_fields: bool = False
    """Trust the fields of a skipped record if they contradict the record's length."""
    sums_up_record_errors: bool = True
    """Count the rejected records in the error message, and quote the first ones."""
    ends_with_period: bool = False
    """End the error message about a record without a key with a period."""
    null_scope: Scope = Scope.PARTITION
    """Scope of the error if the records are null."""
    null_code: ErrorCode = ErrorCode.INVALID_RECORD
    """The error if the records are null."""
    foreign_scope: Scope = Scope.PARTITION
    """Scope of the error for several batches, or for records of an older format."""
    newest_codec: int = int(Compression.ZSTD)
    """Highest codec number that the release supports."""
    checks_last_offset_delta: bool = True
    """Reject, instead of correct, a last offset delta that contradicts the record count."""
    accepts_empty_set: bool = False
    """Accept a message set without a whole message; nothing is appended."""
    mixes_formats: bool = False
    """Accept batches after messages in Produce v0-2."""


RULES_OF_2_4: Final = ReleaseRules(
    collects_record_errors=False,
    accepts_log_append_time=False,
    skips_compressed_bodies=False,
    malformed_scope=Scope.CONNECTION,
    ends_with_period=True,
)
RULES_OF_4_4: Final = ReleaseRules(
    collects_record_errors=True,
    accepts_log_append_time=True,
    skips_compressed_bodies=True,
    malformed_scope=Scope.REQUEST,
    believes_fields=True,
)


class BatchRules(NamedTuple):
    """Validation rules of one partition; created once per partition and configuration.

    `topic_partition` is the name in error messages. The other fields are from the topic's
    configuration: `max.message.bytes`, `cleanup.policy` contains compact, `message.timestamp.type`,
    `message.timestamp.before.max.ms` and `.after.max.ms` (in older releases both are
    `message.timestamp.difference.max.ms`).
    """

    topic_partition: str
    release: ReleaseRules = RULES_OF_4_4
    max_message_bytes: int = 1_048_588
    is_compacted: bool = False
    timestamp_type: TimestampType = TimestampType.CREATE_TIME
    timestamp_before_max_ms: int = LONG_MAX
    timestamp_after_max_ms: int = 3_600_000
    decompressed_bytes_max: int = (1 << 31) - 1
    """`max.decompressed.message.bytes`."""
    codec: int | None = None
    """Codec of all stored batches (`compression.type`); None stores each in its own."""

    def unpacked_bytes_max(self, packed_bytes: int) -> int:
        """Return the limit of the decompressed size of a batch."""
        most = max(UNPACKED_BYTES_MAX, UNPACKED_RATIO * packed_bytes)
        return min(most, self.decompressed_bytes_max)

    def skips_bodies_of(self, codec: int) -> bool:
        """Return True if validation skips keys and values of batches in this codec."""
        is_kept = codec != Compression.NONE and self.codec in (None, codec)
        return is_kept and self.release.skips_compressed_bodies

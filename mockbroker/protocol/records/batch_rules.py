"""By what rules produced batches are judged: those of a release, and those of a topic."""

from typing import Final, NamedTuple

from mockbroker.protocol.records.refusal import Scope
from mockbroker.protocol.types import Compression, TimestampType

LONG_MAX: Final = (1 << 63) - 1


class ReleaseRules(NamedTuple):
    """What differs between releases in the judgement of a produced batch."""

    collects_record_errors: bool
    """Whether every refused record is reported with its reason, or the first with none."""
    accepts_log_append_time: bool
    """Whether a batch that a producer marked LogAppendTime is accepted, its mark removed."""
    skips_compressed_bodies: bool
    """Whether keys and values of compressed records are skipped (`PartialDefaultRecord`)."""
    malformed_scope: Scope
    """What bytes that hold no first batch at all strike."""
    believes_fields: bool = False
    """Whether the fields of such records are believed where their length says another thing."""
    sums_up_record_errors: bool = True
    """Whether the text about refused records counts them, and quotes the first."""
    ends_with_period: bool = False
    """Whether the text about a record without a key ends with a period."""
    null_scope: Scope = Scope.PARTITION
    """What null instead of records strikes."""
    foreign_scope: Scope = Scope.PARTITION
    """What more than one batch, or records of an older format, strike."""
    newest_codec: int = int(Compression.ZSTD)
    """The last codec that is known."""
    checks_last_offset_delta: bool = True
    """Whether a last offset delta that does not fit the count is refused, or mended."""
    accepts_empty_set: bool = False
    """Whether a message set without one whole message is nothing wrong, and nothing to append."""
    mixes_formats: bool = False
    """Whether batches may follow messages in what Produce v0-2 brings."""


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
    """What one partition asks of a produced batch; made once per partition and configuration.

    `topic_partition` is its name in error messages. The fields are those of the topic's
    configuration: `max.message.bytes`, `cleanup.policy` contains compact,
    `message.timestamp.type`, `message.timestamp.before.max.ms` and `.after.max.ms`
    (`message.timestamp.difference.max.ms` is both, in older releases).
    """

    topic_partition: str
    release: ReleaseRules = RULES_OF_4_4
    max_message_bytes: int = 1_048_588
    is_compacted: bool = False
    timestamp_type: TimestampType = TimestampType.CREATE_TIME
    timestamp_before_max_ms: int = LONG_MAX
    timestamp_after_max_ms: int = 3_600_000
    decompressed_bytes_max: int = 256 << 20
    """What a compressed batch may unpack to: ours, so that no small request eats the memory."""
    codec: int | None = None
    """The codec that all batches are kept in (`compression.type`); None: each in its own."""

    def skips_bodies_of(self, codec: int) -> bool:
        """Say whether keys and values of a batch in some codec are skipped as it is judged."""
        is_kept = codec != Compression.NONE and self.codec in (None, codec)
        return is_kept and self.release.skips_compressed_bodies

"""Typed configs of a topic, for appends, reads and retention."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TimestampType
from mockbroker.state.config.definition import ConfigDefinition, ConfigValue
from mockbroker.state.config.topic_configs import CHECKED_IN_ORDER
from mockbroker.state.config.validator import (
    MESSAGE_FORMAT_VERSIONS,
    canonical_format_version,
    parse_config,
)
from mockbroker.state.log.log_config import LogConfig

NEWEST_RECORD_VERSION: Final = 2
"""The record format that has producer ids and headers, since 0.11."""

_FOREVER_MS: Final = (1 << 63) - 1


class TopicConfig(NamedTuple):
    """A topic's effective configs, replaced as a whole when any of them changes."""

    log: LogConfig
    """The part that the log itself uses."""
    max_message_bytes: int
    message_timestamp_type: TimestampType
    message_timestamp_before_max_ms: int
    """Maximum age of a batch's timestamps."""
    message_timestamp_after_max_ms: int
    """Maximum lead of a batch's timestamps over the clock."""
    compression_type: str
    """`producer`, `uncompressed`, or the codec in which every batch is stored."""
    min_insync_replicas: int
    message_downconversion_enable: bool
    record_version: int
    """The newest record format (`magic`) that the log holds: 2 unless `message.format.version`
    names a release before 0.11."""
    max_decompressed_message_bytes: int
    unclean_leader_election_enable: bool
    """True if an out-of-sync replica may become leader when no other can."""

    @property
    def has_timestamps(self) -> bool:
        """True if the log's format has timestamps: since 0.10 (KIP-32)."""
        return self.record_version > 0

    @property
    def has_newest_format(self) -> bool:
        """True if records have leader epochs, producer ids, headers: since 0.11 (KIP-98, 101)."""
        return self.record_version >= NEWEST_RECORD_VERSION


def typed_topic_config(values: Mapping[str, ConfigValue]) -> TopicConfig:
    """Return the typed form of a topic's effective configs, all given by name."""
    difference_ms = _integer(values, "message.timestamp.difference.max.ms", _FOREVER_MS)
    cleanup_policy = values["cleanup.policy"]
    assert isinstance(cleanup_policy, tuple), cleanup_policy
    return TopicConfig(
        log=LogConfig(
            segment_bytes=_integer(
                values, "internal.segment.bytes", _integer(values, "segment.bytes")
            ),
            segment_ms=_integer(values, "segment.ms"),
            retention_ms=_integer(values, "retention.ms"),
            retention_bytes=_integer(values, "retention.bytes"),
            cleanup_delete="delete" in cleanup_policy,
            cleanup_compact="compact" in cleanup_policy,
        ),
        max_message_bytes=_integer(values, "max.message.bytes"),
        message_timestamp_type=(
            TimestampType.LOG_APPEND_TIME
            if values["message.timestamp.type"] == "LogAppendTime"
            else TimestampType.CREATE_TIME
        ),
        message_timestamp_before_max_ms=_integer(
            values, "message.timestamp.before.max.ms", difference_ms
        ),
        message_timestamp_after_max_ms=_integer(
            values, "message.timestamp.after.max.ms", difference_ms
        ),
        compression_type=str(values["compression.type"]),
        min_insync_replicas=_integer(values, "min.insync.replicas"),
        message_downconversion_enable=values.get("message.downconversion.enable") is not False,
        record_version=_record_version(values.get("message.format.version")),
        max_decompressed_message_bytes=_integer(
            values, "max.decompressed.message.bytes", (1 << 31) - 1
        ),
        unclean_leader_election_enable=values["unclean.leader.election.enable"] is True,
    )


def check_topic_overrides(
    overrides: Mapping[str, str],
    definitions: Mapping[str, ConfigDefinition],
    inherited: Mapping[str, ConfigValue],
) -> None:
    """Check the configs that a client sets for a topic (`LogConfig.validate`).

    Raises:
        ApiError: INVALID_CONFIG for an unknown name, a wrong value, or contradictory values.

    """
    for name in overrides:
        if name not in definitions:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
    values = dict(inherited)
    for name in dict.fromkeys((*CHECKED_IN_ORDER, *definitions)):
        if name in overrides:
            values[name] = parse_config(definitions[name], overrides[name])
    least_ms = _integer(values, "min.compaction.lag.ms")
    most_ms = _integer(values, "max.compaction.lag.ms", _FOREVER_MS)
    if least_ms > most_ms:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"conflict topic config setting min.compaction.lag.ms ({least_ms})"
            f" > max.compaction.lag.ms ({most_ms})",
        )
    if values.get("remote.storage.enable") is True:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "Tiered Storage functionality is disabled in the broker."
            " Topic cannot be configured with remote log storage.",
        )


def _integer(values: Mapping[str, ConfigValue], name: str, default: int | None = None) -> int:
    value = values.get(name)
    if value is None:
        value = default
    assert isinstance(value, int), (name, value)
    return value


def _record_version(format_version: ConfigValue) -> int:
    if format_version is None:
        return NEWEST_RECORD_VERSION
    version = canonical_format_version(str(format_version))
    assert version is not None, format_version
    index = MESSAGE_FORMAT_VERSIONS.index(version)
    if index < MESSAGE_FORMAT_VERSIONS.index("0.10.0-IV0"):
        return 0
    return 1 if index < MESSAGE_FORMAT_VERSIONS.index("0.11.0-IV0") else NEWEST_RECORD_VERSION

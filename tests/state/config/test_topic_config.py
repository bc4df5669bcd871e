"""Typed configs of a topic, and the validation of overrides."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TimestampType
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.topic_config import (
    TopicConfig,
    check_topic_overrides,
    typed_topic_config,
)


def typed(release: str = "4.4", **overrides: str) -> TopicConfig:
    configs = ConfigRepository(release, {}, {})
    names = {name.replace("_", "."): text for name, text in overrides.items()}
    configs.set_topic_overrides("orders", names)
    return typed_topic_config(configs.topic_values("orders", None))


def check(release: str = "4.4", **overrides: str) -> None:
    configs = ConfigRepository(release, {}, {})
    names = {name.replace("_", "."): text for name, text in overrides.items()}
    check_topic_overrides(names, configs.topic_definitions, configs.topic_values(None, None))


def test_the_defaults_are_those_of_the_release() -> None:
    old, new = typed("2.4"), typed("4.4")
    assert (old.max_message_bytes, new.max_message_bytes) == (1_000_012, 1_048_588)
    assert (old.message_timestamp_after_max_ms, new.message_timestamp_after_max_ms) == (
        (1 << 63) - 1,
        3_600_000,
    )
    assert new.log.retention_ms == 604_800_000


def test_one_difference_of_timestamps_bounds_both_directions_in_older_releases() -> None:
    config = typed("2.4", message_timestamp_difference_max_ms="500")
    assert config.message_timestamp_before_max_ms == 500
    assert config.message_timestamp_after_max_ms == 500


@pytest.mark.parametrize(
    ("policy", "deletes", "compacts"),
    [
        ("delete", True, False),
        ("compact", False, True),
        ("compact,delete", True, True),
        ("", False, False),
    ],
)
def test_a_cleanup_policy_may_be_both_or_none(policy: str, deletes: bool, compacts: bool) -> None:
    log = typed(cleanup_policy=policy).log
    assert (log.cleanup_delete, log.cleanup_compact) == (deletes, compacts)


def test_the_broker_may_stamp_records() -> None:
    assert typed().message_timestamp_type is TimestampType.CREATE_TIME
    stamped = typed(message_timestamp_type="LogAppendTime")
    assert stamped.message_timestamp_type is TimestampType.LOG_APPEND_TIME


def test_the_internal_segment_size_overrides_the_public_one() -> None:
    assert typed(segment_bytes="1048576").log.segment_bytes == 1 << 20
    assert typed(internal_segment_bytes="100").log.segment_bytes == 100


@pytest.mark.parametrize(
    ("version", "magic"), [("0.9.0", 0), ("0.10.0-IV0", 1), ("0.10.2", 1), ("0.11.0", 2)]
)
def test_the_format_version_determines_the_record_format(version: str, magic: int) -> None:
    assert typed("2.4", message_format_version=version).record_version == magic


def test_releases_without_a_format_version_use_the_newest_format() -> None:
    assert typed("4.4").record_version == 2


def test_down_conversion_may_be_switched_off() -> None:
    assert typed("4.4").message_downconversion_enable
    assert not typed("2.4", message_downconversion_enable="false").message_downconversion_enable


def test_allowed_overrides_pass() -> None:
    check(retention_ms="1", min_compaction_lag_ms="5", max_compaction_lag_ms="5")


def test_an_unknown_name_is_refused_before_a_wrong_value() -> None:
    with pytest.raises(ApiError, match="Unknown topic config name: bogus") as refusal:
        check(retention_ms="abc", bogus="1")
    assert refusal.value.code is ErrorCode.INVALID_CONFIG


def test_a_wrong_value_is_refused() -> None:
    with pytest.raises(ApiError, match="Value must be at least -1"):
        check(retention_ms="-2")


def test_compaction_lags_that_contradict_are_refused() -> None:
    with pytest.raises(ApiError) as refusal:
        check(min_compaction_lag_ms="100", max_compaction_lag_ms="50")
    assert refusal.value.why == (
        "conflict topic config setting min.compaction.lag.ms (100) > max.compaction.lag.ms (50)"
    )


def test_tiered_storage_is_refused() -> None:
    with pytest.raises(ApiError, match="Tiered Storage functionality is disabled"):
        check(remote_storage_enable="true")


@pytest.mark.parametrize(
    ("format_version", "has_timestamps", "has_newest_format"),
    [("0.9.0", False, False), ("0.10.2", True, False), ("0.11.0", True, True)],
)
def test_a_format_has_the_features_of_its_release(
    format_version: str, has_timestamps: bool, has_newest_format: bool
) -> None:
    config = typed("2.4", message_format_version=format_version)
    assert (config.has_timestamps, config.has_newest_format) == (has_timestamps, has_newest_format)


def test_the_first_wrong_value_in_kafkas_order_is_named() -> None:
    with pytest.raises(ApiError, match=r"configuration segment\.ms: Not a number of type LONG"):
        check(cleanup_policy="nonsense", segment_ms="1e3")


@pytest.mark.parametrize("replicas", ["0:1,", "0:1,,1:1", ",", ""])
def test_a_throttled_replica_may_be_empty(replicas: str) -> None:
    check(leader_replication_throttled_replicas=replicas)


def test_the_error_quotes_a_wrong_value_as_given() -> None:
    with pytest.raises(ApiError, match="Invalid value  7  for configuration preallocate"):
        check(preallocate=" 7 ")

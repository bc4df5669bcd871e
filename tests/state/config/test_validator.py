"""Conversion of texts to config values, with Kafka's errors."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.definition import (
    ConfigValue,
    broker_definitions,
    topic_definitions,
)
from mockbroker.state.config.validator import (
    canonical_format_version,
    config_text,
    default_value,
    parse_config,
    split_as_java,
    split_list,
)

DEFINITIONS = {
    **broker_definitions("2.4"),
    **topic_definitions("2.4"),
    **broker_definitions("4.4"),
    **topic_definitions("4.4"),
}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("retention.ms", " 1000 ", 1000),
        ("retention.ms", "+5", 5),
        ("preallocate", "TRUE", True),
        ("preallocate", "false", False),
        ("cleanup.policy", " compact , delete ", ("compact", "delete")),
        ("cleanup.policy", "", ()),
        ("min.cleanable.dirty.ratio", "1e-1", 0.1),
        ("compression.type", "zstd", "zstd"),
        ("compression.gzip.level", "-1", -1),
        ("compression.gzip.level", "9", 9),
        ("compression.zstd.level", "-131072", -131072),
        ("leader.replication.throttled.replicas", "*", ("*",)),
        ("leader.replication.throttled.replicas", "0:1,1:2", ("0:1", "1:2")),
        ("message.format.version", "0.10.2", "0.10.2"),
        ("group.consumer.migration.policy", "upgrade", "upgrade"),
        ("ssl.key.password", "secret", "secret"),
        ("segment.ms", "1", 1),
    ],
)
def test_a_text_becomes_a_value(name: str, text: str, value: ConfigValue) -> None:
    assert parse_config(DEFINITIONS[name], text) == value


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("retention.ms", "abc", "Invalid value abc for configuration retention.ms: Not a number"),
        ("retention.ms", "", "Invalid value  for configuration retention.ms: Not a number"),
        ("retention.ms", "1_000", "Not a number of type LONG"),
        ("retention.ms", "0x10", "Not a number of type LONG"),
        ("retention.ms", "-2", "Invalid value -2 for configuration retention.ms: Value must be at"),
        ("segment.bytes", "99999999999", "Not a number of type INT"),
        ("preallocate", "maybe", "Expected value to be either true or false"),
        ("min.cleanable.dirty.ratio", "2", "Invalid value 2.0 for configuration min.cleanable.di"),
        ("min.cleanable.dirty.ratio", "2", "Value must be no more than 1"),
        ("min.cleanable.dirty.ratio", "nan", "Not a number of type DOUBLE"),
        ("cleanup.policy", "delete,foo", "Invalid value foo for configuration cleanup.policy: St"),
        ("compression.type", "zip", "String must be one of: uncompressed, zstd, lz4, snappy, gzi"),
        ("compression.gzip.level", "0", "Value must be between 1 and 9 or equal to -1"),
        ("leader.replication.throttled.replicas", "x", "Invalid value [x] for configuration lead"),
        ("leader.replication.throttled.replicas", "*,0:1", "Invalid value [*, 0:1] for configur"),
        ("message.format.version", "0.7", "Version `0.7` is not a valid version"),
        ("group.consumer.migration.policy", "no", "one of (case insensitive): DISABLED, DOWNGRAD"),
        ("remote.log.storage.manager.class.name", "", "String must be non-empty"),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_and_what_is_allowed(
    name: str, text: str, why: str
) -> None:
    with pytest.raises(ApiError) as refusal:
        parse_config(DEFINITIONS[name], text)
    assert refusal.value.code is ErrorCode.INVALID_CONFIG
    assert why in refusal.value.why


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (True, "true"),
        (False, "false"),
        (5, "5"),
        (0.5, "0.5"),
        (1.5e300, "1.5E300"),
        # The results of Double.toString in OpenJDK 17.
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.00099999, "9.9999E-4"),
        (-0.0001, "-1.0E-4"),
        (1e-5, "1.0E-5"),
        (9999999.999, "9999999.999"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (float(2**63), "9.223372036854776E18"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (("a", "b"), "a,b"),
        ((), ""),
        ("x", "x"),
    ],
)
def test_a_value_is_written_as_kafka_does(value: ConfigValue, text: str | None) -> None:
    assert config_text(value) == text


def test_older_releases_check_only_the_first_throttled_replica() -> None:
    definition = topic_definitions("2.4")["leader.replication.throttled.replicas"]
    assert parse_config(definition, "*,0:1") == ("*", "0:1")
    with pytest.raises(ApiError, match="must be the literal"):
        parse_config(definition, "0:1,*")


def test_an_empty_value_is_rejected_where_not_allowed() -> None:
    definition = DEFINITIONS["remote.log.storage.manager.class.name"]
    assert parse_config(definition, "x") == "x"


def test_a_config_without_a_default_has_none() -> None:
    assert default_value(DEFINITIONS["log.retention.ms"]) is None
    assert default_value(DEFINITIONS["num.partitions"]) == 1


def test_an_empty_list_has_no_parts() -> None:
    assert split_list(" ") == ()
    assert split_list("a, b") == ("a", "b")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        (",", []),
        (",,", []),
        ("a,", ["a"]),
        (",a,,b,,", ["", "a", "", "b"]),
        (" a ", [" a "]),
    ],
)
def test_java_drops_empty_parts_at_the_end(text: str, parts: list[str]) -> None:
    assert split_as_java(text) == parts


@pytest.mark.parametrize("text", ["compact,", ",", "delete,,compact"])
def test_cleanup_policies_of_4_4_have_no_empty_parts(text: str) -> None:
    definition = topic_definitions("4.4")["cleanup.policy"]
    with pytest.raises(ApiError) as refused:
        parse_config(definition, text)
    said = "Configuration 'cleanup.policy' values must not be empty."
    assert (refused.value.code, refused.value.why) == (ErrorCode.INVALID_CONFIG, said)
    assert parse_config(definition, "delete,delete") == ("delete", "delete")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.4", "2.4-IV1"),
        ("2.4.1", "2.4-IV1"),
        ("2.4-IV0", "2.4-IV0"),
        ("0.10.2", "0.10.2-IV0"),
        ("0.9.0.1", "0.9.0"),
        ("3.0", "3.0-IV1"),
        ("4.0", None),
    ],
)
def test_a_format_version_may_be_short(text: str, version: str | None) -> None:
    assert canonical_format_version(text) == version

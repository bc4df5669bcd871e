"""Configs of groups and of client metrics subscriptions."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import ConfigEntry, ConfigSource
from mockbroker.state.config.named_configs import (
    CLIENT_METRICS,
    GROUP,
    ClientMetricsConfigs,
    GroupConfigs,
    named_configs,
)
from mockbroker.state.release.options import Options

SESSION = "consumer.session.timeout.ms"


def repository(static: dict[str, str] | None = None) -> ConfigRepository:
    return ConfigRepository("4.4", static or {}, {1: {}})


def groups(static: dict[str, str] | None = None) -> GroupConfigs:
    return GroupConfigs(repository(static))


def metrics(release: str = "4.4") -> ClientMetricsConfigs:
    options = Options.for_release(release).configs
    return ClientMetricsConfigs(release, are_typed=options.client_metrics_are_typed)


def by_name(entries: list[ConfigEntry]) -> dict[str, ConfigEntry]:
    return {entry.name: entry for entry in entries}


@pytest.mark.parametrize(
    ("release", "types"),
    [("2.8", set[int]()), ("3.9", {CLIENT_METRICS}), ("4.4", {CLIENT_METRICS, GROUP})],
)
def test_the_resource_types_depend_on_the_release(release: str, types: set[int]) -> None:
    configs = ConfigRepository(release, {}, {1: {}})
    assert named_configs(Options.for_release(release).configs, configs).keys() == types


def test_a_group_is_described_with_inherited_configs() -> None:
    configs = groups({"group.consumer.heartbeat.interval.ms": "6000"})
    entries = by_name(configs.describe({SESSION: "50000"}, 1, None))
    session, heartbeat = entries[SESSION], entries["consumer.heartbeat.interval.ms"]
    assert (session.value, session.source) == ("50000", ConfigSource.DYNAMIC_GROUP_CONFIG)
    assert [each.name for each in session.synonyms] == [SESSION, f"group.{SESSION}"]
    assert (heartbeat.value, heartbeat.source) == ("6000", ConfigSource.STATIC_BROKER_CONFIG)
    assert entries["streams.assignor.name"].synonyms[0].name == "group.streams.assignors"
    assert entries["share.isolation.level"].synonyms[0].name == "share.isolation.level"


def test_a_group_is_described_by_the_requested_names() -> None:
    assert [entry.name for entry in groups().describe({}, 1, [SESSION, "nonsense"])] == [SESSION]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (SESSION, "50000"),
        ("share.auto.offset.reset", "by_duration:PT1H"),
        ("errors.deadletterqueue.topic.name", "any name"),
        ("streams.assignor.name", "sticky"),
        ("streams.num.standby.replicas", "2"),
        ("streams.initial.rebalance.delay.ms", "100000000"),
    ],
)
def test_a_fitting_value_is_accepted(name: str, value: str) -> None:
    groups().check({name: value})


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("nonsense", "1", "Unknown group config name: nonsense"),
        (SESSION, "x", f"Invalid value x for configuration {SESSION}: Not a number of type INT"),
        (SESSION, "1", f"{SESSION} must be in the range 45000 to 55000 inclusive."),
        (
            "streams.num.standby.replicas",
            "3",
            "streams.num.standby.replicas must be less than or equal to 2",
        ),
        (
            "streams.assignor.name",
            "x",
            (
                "streams.assignor.name 'x' is not a registered task assignor. Registered assignors"
                " are: [sticky]."
            ),
        ),
        *(
            (
                "share.auto.offset.reset",
                value,
                (
                    f"Invalid value {value} for configuration share.auto.offset.reset: Invalid"
                    f" value `{value}` for configuration share.auto.offset.reset. The value must be"
                    " either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
                ),
            )
            for value in ("x", "by_duration:", "by_duration:P", "by_duration:PT")
        ),
        (
            "errors.deadletterqueue.topic.name",
            "__x",
            "errors.deadletterqueue.topic.name: DLQ topic name must not start with '__'",
        ),
    ],
)
def test_other_values_are_rejected(name: str, value: str, why: str) -> None:
    configs = groups({"group.consumer.max.session.timeout.ms": "55000"})
    with pytest.raises(ApiError) as refused:
        configs.check({name: value})
    assert (refused.value.code, refused.value.why) == (ErrorCode.INVALID_CONFIG, why)


@pytest.mark.parametrize("kind", ["consumer", "share", "streams"])
def test_sessions_are_longer_than_heartbeat_intervals(kind: str) -> None:
    session, heartbeat = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
    configs = groups(
        {
            f"group.{kind}.min.session.timeout.ms": "1000",
            f"group.{kind}.max.heartbeat.interval.ms": "50000",
        }
    )
    configs.check({session: "5001"})
    configs.check({session: "9001", heartbeat: "9000"})
    for wrong in ({session: "5000"}, {heartbeat: "45000"}, {session: "9000", heartbeat: "9000"}):
        with pytest.raises(ApiError) as refused:
            configs.check(wrong)
        assert refused.value.why == f"{session} must be greater than {heartbeat}"


def test_a_subscription_is_described_with_defaults() -> None:
    entries = by_name(metrics().describe({"metrics": "*"}, 1, None))
    assert entries["interval.ms"].value == "300000"
    assert entries["interval.ms"].source is ConfigSource.DEFAULT_CONFIG
    assert entries["metrics"].source is ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG


def test_older_releases_describe_only_configs_that_are_set() -> None:
    (entry,) = metrics("3.9").describe({"metrics": "*"}, 1, None)
    assert (entry.name, entry.value, entry.type, entry.synonyms) == ("metrics", "*", None, ())


def test_subscriptions_may_select_clients_by_patterns() -> None:
    metrics().check({"match": "client_id=a.*, client_software_name=b", "interval.ms": "100"})


@pytest.mark.parametrize(
    ("release", "name", "value", "code", "why"),
    [
        (
            "4.4",
            "nonsense",
            "1",
            ErrorCode.INVALID_REQUEST,
            "Unknown client metrics configuration: nonsense",
        ),
        (
            "4.4",
            "interval.ms",
            "x",
            ErrorCode.INVALID_CONFIG,
            "Invalid value x for configuration interval.ms: Not a number of type INT",
        ),
        ("3.9", "interval.ms", "x", ErrorCode.UNKNOWN_SERVER_ERROR, ""),
        (
            "4.4",
            "interval.ms",
            "99",
            ErrorCode.INVALID_REQUEST,
            "Invalid value 99 for interval.ms, interval must be between 100 and 3600000 (1 hour)",
        ),
        *(
            (
                "4.4",
                "match",
                pattern,
                ErrorCode.INVALID_CONFIG,
                f"Illegal client matching pattern: {pattern}",
            )
            for pattern in ("client_id", "client_id=", "nonsense=a", "client_id=[", "client_id=a=b")
        ),
    ],
)
def test_invalid_subscriptions_are_rejected(
    release: str, name: str, value: str, code: ErrorCode, why: str
) -> None:
    with pytest.raises(ApiError) as refused:
        metrics(release).check({name: value})
    assert (refused.value.code, refused.value.why) == (code, why)

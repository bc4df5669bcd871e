"""DescribeConfigs, for topics, brokers and all brokers."""

from collections.abc import Sequence

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from mockbroker.state.config.config_repository import ConfigEntry, ConfigRepository
from tests.support.in_process import Brokers

TOPIC, BROKER, LOGGER = 2, 4, 8


def ask(
    brokers: Brokers,
    *resources: tuple[int, str],
    keys: list[str] | None = None,
    version: int | None = None,
    with_synonyms: bool = True,
    with_documentation: bool = True,
    broker_id: int = 1,
) -> list[DescribeConfigsResult]:
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
            for kind, name in resources
        ],
        include_synonyms=with_synonyms,
        include_documentation=with_documentation,
    )
    newest = brokers.state.options.api_versions[ApiKey.DESCRIBE_CONFIGS][-1]
    return brokers.ask(
        request,
        newest if version is None else version,
        DescribeConfigsResponse,
        broker_id=broker_id,
    ).results


def config(brokers: Brokers, kind: int, name: str, key: str) -> DescribeConfigsResourceResult:
    (result,) = ask(brokers, (kind, name), keys=[key])
    (found,) = result.configs
    return found


@pytest.mark.parametrize(("release", "message"), [("4.4", ""), ("2.4", None)])
def test_a_topic_is_described_in_full(release: str, message: str | None) -> None:
    brokers = Brokers(release=release, topics={"orders": 1})
    (result,) = ask(brokers, (TOPIC, "orders"))
    assert (result.error_code, result.error_message) == (ErrorCode.NONE, message)
    assert (result.resource_type, result.resource_name) == (TOPIC, "orders")
    assert len(result.configs) == {"2.4": 26, "4.4": 37}[release]


def test_a_config_has_its_type_and_all_its_synonyms() -> None:
    brokers = Brokers(topics={"orders": 1}, configs={"message.max.bytes": "5"})
    brokers.state.configs.set_topic_overrides("orders", {"max.message.bytes": "4"})
    found = config(brokers, TOPIC, "orders", "max.message.bytes")
    assert (found.value, found.config_source, found.config_type) == ("4", 1, 3)
    assert [(each.name, each.value, each.source) for each in found.synonyms] == [
        ("max.message.bytes", "4", 1),
        ("message.max.bytes", "5", 4),
        ("message.max.bytes", "1048588", 5),
    ]
    assert (found.read_only, found.is_sensitive) == (False, False)


def test_a_config_is_documented_on_request() -> None:
    brokers = Brokers(topics={"orders": 1})
    documented = config(brokers, TOPIC, "orders", "retention.ms").documentation
    assert documented == (
        'retention.ms (LONG): default "604800000", allowed: -1..; a client may change it.'
    )
    (result,) = ask(brokers, (TOPIC, "orders"), keys=["retention.ms"], with_documentation=False)
    assert result.configs[0].documentation is None


@pytest.mark.parametrize(("kind", "name"), [(TOPIC, "orders"), (BROKER, "1")])
def test_no_config_that_is_known_lacks_documentation(kind: int, name: str) -> None:
    (result,) = ask(Brokers(topics={"orders": 1}), (kind, name))
    assert [each.name for each in result.configs if not each.documentation] == []


def test_synonyms_are_listed_on_request() -> None:
    brokers = Brokers(topics={"orders": 1})
    (result,) = ask(brokers, (TOPIC, "orders"), with_synonyms=False)
    assert all(found.synonyms == [] for found in result.configs)


def test_the_first_version_marks_defaults() -> None:
    brokers = Brokers(release="2.4", topics={"orders": 1})
    brokers.state.configs.set_topic_overrides("orders", {"retention.ms": "4"})
    (result,) = ask(brokers, (TOPIC, "orders"), keys=["retention.ms", "segment.ms"], version=0)
    assert {found.name: found.is_default for found in result.configs} == {
        "retention.ms": False,
        "segment.ms": True,
    }


@pytest.mark.parametrize(("release", "count"), [("4.4", 37), ("2.4", 0)])
def test_an_empty_list_of_names_means_all_or_none(release: str, count: int) -> None:
    brokers = Brokers(release=release, topics={"orders": 1})
    (result,) = ask(brokers, (TOPIC, "orders"), keys=[])
    assert len(result.configs) == count


def test_unknown_names_are_left_out() -> None:
    brokers = Brokers(topics={"orders": 1})
    (result,) = ask(brokers, (TOPIC, "orders"), keys=["bogus", "retention.ms"])
    assert [found.name for found in result.configs] == ["retention.ms"]


def test_a_broker_describes_itself() -> None:
    brokers = Brokers(brokers=2, configs={"num.partitions": "3"})
    (result,) = ask(brokers, (BROKER, "2"), broker_id=2)
    assert len(result.configs) == 350
    found = {each.name: each for each in result.configs}
    assert (found["num.partitions"].value, found["num.partitions"].read_only) == ("3", True)
    assert found["node.id"].value == "2"
    assert (found["ssl.key.password"].value, found["ssl.key.password"].is_sensitive) == (None, True)


def test_cluster_wide_configs_are_described_under_the_empty_name() -> None:
    brokers = Brokers()
    brokers.state.configs.set_broker_overrides(None, {"log.retention.ms": "5", "bogus": "x"})
    (result,) = ask(brokers, (BROKER, ""))
    assert [(each.name, each.value, each.config_type) for each in result.configs] == [
        ("bogus", None, 0),
        ("log.retention.ms", "5", 5),
    ]


@pytest.mark.parametrize(
    ("kind", "name", "code", "why"),
    [
        (TOPIC, "nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ""),
        (
            TOPIC,
            "",
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            "Topic name is invalid: the empty string is not allowed",
        ),
        (
            BROKER,
            "7",
            ErrorCode.INVALID_REQUEST,
            "Unexpected broker id, expected 1 or empty string, but received 7",
        ),
        (BROKER, "x", ErrorCode.INVALID_REQUEST, "Broker id must be an integer, but it is: x"),
        (LOGGER, "", ErrorCode.INVALID_REQUEST, "Broker id must not be empty"),
        (LOGGER, "7", ErrorCode.INVALID_REQUEST, "Unexpected broker id, expected 1 but received 7"),
    ],
)
def test_a_resource_that_is_not_there_is_refused(
    kind: int, name: str, code: ErrorCode, why: str
) -> None:
    (result,) = ask(Brokers(), (kind, name))
    assert (result.error_code, result.error_message) == (code, why)
    assert (result.resource_type, result.resource_name, result.configs) == (kind, name, [])


def test_there_are_no_loggers() -> None:
    (result,) = ask(Brokers(), (LOGGER, "1"))
    assert (result.error_code, result.configs) == (ErrorCode.NONE, [])


@pytest.mark.parametrize(
    ("release", "answered", "why"),
    [
        ("4.4", 99, "This most likely occurs because of a request being malformed"),
        ("2.4", 0, "Unexpected resource type UNKNOWN for resource x"),
    ],
)
def test_an_unknown_type_of_resource_is_refused(release: str, answered: int, why: str) -> None:
    (result,) = ask(Brokers(release=release), (99, "x"))
    assert (result.error_code, result.resource_type) == (ErrorCode.INVALID_REQUEST, answered)
    assert result.error_message is not None
    assert result.error_message.startswith(why)


@pytest.mark.parametrize(("release", "answers"), [("4.4", 2), ("2.4", 1)])
def test_a_resource_that_is_named_twice_is_answered_twice_or_once(
    release: str, answers: int
) -> None:
    brokers = Brokers(release=release, topics={"orders": 1})
    assert len(ask(brokers, (TOPIC, "orders"), (TOPIC, "orders"))) == answers


@pytest.mark.parametrize(
    ("release", "code"),
    [("1.1", ErrorCode.NONE), ("2.3", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)],
)
def test_the_oldest_releases_describe_missing_topics(release: str, code: ErrorCode) -> None:
    (result,) = ask(Brokers(release=release), (TOPIC, "nope"), keys=["retention.ms"], version=0)
    assert result.error_code == code
    assert [each.value for each in result.configs] == ["604800000"] * (not code)


@pytest.mark.parametrize(
    ("release", "are_defaults"), [("0.11", True), ("1.1", False), ("2.4", False), ("2.8", False)]
)
def test_defaults_in_the_first_version(release: str, *, are_defaults: bool) -> None:
    brokers = Brokers(release=release, topics={"a": 1}, configs={"compression.type": "lz4"})
    (result,) = ask(brokers, (TOPIC, "a"), keys=["compression.type"], version=0)
    assert [each.is_default for each in result.configs] == [are_defaults]


@pytest.mark.parametrize(("release", "is_default"), [("2.4", True), ("2.8", False)])
def test_later_releases_call_nothing_a_default_in_the_first_version(
    release: str, *, is_default: bool
) -> None:
    brokers = Brokers(release=release, topics={"a": 1})
    (result,) = ask(brokers, (TOPIC, "a"), keys=["retention.ms"], version=0)
    assert [each.is_default for each in result.configs] == [is_default]


def test_loggers_are_no_resource_before_2_4() -> None:
    (result,) = ask(Brokers(release="2.3"), (LOGGER, "1"), version=2)
    assert (result.resource_type, result.error_message) == (
        0,
        "Unexpected resource type UNKNOWN for resource 1",
    )


def test_the_oldest_release_has_no_configs_of_all_brokers() -> None:
    (result,) = ask(Brokers(release="0.11"), (BROKER, ""), version=0)
    assert result.error_message == "Broker id must be an integer, but it is: "


def test_groups_and_client_metrics_are_described_known_or_not() -> None:
    group, metrics = ask(Brokers(), (32, "g"), (16, "m"))
    assert {config.name: config.value for config in group.configs}["share.isolation.level"] == (
        "read_uncommitted"
    )
    assert {config.name for config in metrics.configs} == {"interval.ms", "match", "metrics"}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (32, "Group name must not be empty"),
        (16, "Client metrics subscription name must not be empty"),
    ],
)
def test_they_are_not_described_without_a_name(kind: int, why: str) -> None:
    (answer,) = ask(Brokers(), (kind, ""))
    assert (answer.error_code, answer.error_message) == (ErrorCode.INVALID_REQUEST, why)


def test_a_resource_that_is_named_often_is_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(topics={"orders": 1, "other": 1})
    configs, described = brokers.state.configs, list[str]()

    def describe_topic(topic: str, broker_id: int, names: object = None) -> Sequence[ConfigEntry]:
        described.append(topic)
        return ConfigRepository.describe_topic(configs, topic, broker_id, ["retention.ms"])

    monkeypatch.setattr(configs, "describe_topic", describe_topic)
    results = ask(brokers, (TOPIC, "orders"), (TOPIC, "other"), *[(TOPIC, "orders")] * 8)
    assert described == ["orders", "other"]
    assert [result.resource_name for result in results] == ["orders", "other", *["orders"] * 8]
    assert {len(result.configs) for result in results} == {1}

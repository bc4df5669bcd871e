"""Tables of config definitions by release."""

import pytest

from mockbroker.state.config.definition import (
    ConfigType,
    broker_definitions,
    topic_definitions,
)
from mockbroker.state.config.topic_configs import BROKER_SYNONYMS
from mockbroker.state.config.validator import config_text, default_value
from mockbroker.state.release.options import SUPPORTED_RELEASES

RELEASES = SUPPORTED_RELEASES


@pytest.mark.parametrize(
    ("release", "topic", "broker"),
    [
        ("0.11", 24, 154),
        ("1.0", 24, 155),
        ("1.1", 24, 171),
        ("2.3", 26, 190),
        ("2.4", 26, 192),
        ("2.5", 26, 207),
        ("2.8", 26, 218),
        ("3.6", 31, 270),
        ("3.9", 36, 314),
        ("4.4", 37, 350),
    ],
)
def test_as_many_configs_are_described_as_kafka_describes(
    release: str, topic: int, broker: int
) -> None:
    described = [
        sum(not (each.is_internal or each.is_unlisted) for each in definitions.values())
        for definitions in (topic_definitions(release), broker_definitions(release))
    ]
    assert described == [topic, broker]


@pytest.mark.parametrize("release", RELEASES)
def test_every_default_survives_a_round_trip(release: str) -> None:
    for definitions in (topic_definitions(release), broker_definitions(release)):
        for definition in definitions.values():
            assert config_text(default_value(definition)) == definition.default


@pytest.mark.parametrize("release", RELEASES)
def test_every_topic_config_falls_back_on_a_broker_config_that_exists(release: str) -> None:
    inherited = {BROKER_SYNONYMS.get(name) for name in topic_definitions(release)} - {None}
    assert inherited <= set(broker_definitions(release))


def test_a_config_may_differ_by_release() -> None:
    defaults = {each: topic_definitions(each)["max.message.bytes"].default for each in RELEASES}
    before = RELEASES[: RELEASES.index("2.5")]
    assert defaults == {
        release: "1000012" if release in before else "1048588" for release in RELEASES
    }


def test_a_config_may_be_removed_or_new() -> None:
    assert "message.format.version" in topic_definitions("2.4")
    assert "message.format.version" not in topic_definitions("4.4")
    assert "node.id" not in broker_definitions("2.4")


@pytest.mark.parametrize(
    ("name", "span"),
    [
        ("message.format.version", ("0.11", "3.9")),
        ("message.downconversion.enable", ("2.3", "3.9")),
        ("max.compaction.lag.ms", ("2.3", "4.4")),
        ("compression.gzip.level", ("3.9", "4.4")),
        ("remote.copy.lag.ms", ("4.4", "4.4")),
        ("retention.ms", ("0.11", "4.4")),
    ],
)
def test_a_row_holds_for_the_releases_of_its_span(name: str, span: tuple[str, str]) -> None:
    found = tuple(release for release in RELEASES if name in topic_definitions(release))
    first, last = map(RELEASES.index, span)
    assert found == RELEASES[first : last + 1]


def test_a_static_config_may_be_described_as_dynamic() -> None:
    shown = {each: broker_definitions(each)["log.retention.hours"] for each in RELEASES}
    assert [each for each in RELEASES if shown[each].looks_dynamic] == ["1.1", "2.3"]
    assert not any(each.is_dynamic for each in shown.values())


def test_columns_are_parsed() -> None:
    definitions = broker_definitions("4.4")
    retention = definitions["log.retention.ms"]
    assert (retention.type, retention.default) == (ConfigType.LONG, None)
    assert retention.is_dynamic
    assert not definitions["num.partitions"].is_dynamic
    assert definitions["authorizer.class.name"].default == ""
    assert definitions["node.id"].default is None
    assert definitions["ssl.key.password"].is_sensitive
    assert definitions["mockbroker.memory.bytes"].is_internal

"""Arguments of `Cluster`, as people write them."""

from datetime import timedelta
from typing import get_args

import pytest

from mockbroker import Cluster, Release, SettingsError
from mockbroker.settings.python_arguments import ConfigText, config_text
from mockbroker.state.release.options import SUPPORTED_RELEASES


def test_type_checkers_know_the_supported_releases() -> None:
    assert get_args(Release) == SUPPORTED_RELEASES


def test_a_config_has_the_text_that_kafka_reads() -> None:
    assert [config_text("retention.ms", value) for value in (True, False, 3, 0.5, "3")] == [
        "true",
        "false",
        "3",
        "0.5",
        "3",
    ]


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("retention.ms", "7d", "604800000"),
        ("retention.ms", timedelta(seconds=1.5), "1500"),
        ("retention.ms", "-1", "-1"),
        ("log.roll.hours", "7d", "168"),
        ("offsets.retention.minutes", timedelta(hours=2), "120"),
        ("quota.window.size.seconds", "1m", "60"),
        ("broker.rack", "1d", "1d"),
    ],
)
def test_a_config_with_a_unit_takes_a_duration(name: str, given: ConfigText, text: str) -> None:
    assert config_text(name, given) == text


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("log.roll.hours", "90m", "it is no whole number of hours"),
        ("retention.ms", timedelta(-1), "the time cannot be negative"),
        ("retention.bytes", timedelta(1), "its name ends in no unit of time"),
    ],
)
def test_a_duration_that_a_config_cannot_hold_is_refused(
    name: str, given: ConfigText, why: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name}=.*: {why}"):
        config_text(name, given)


def test_topics_and_brokers_take_durations() -> None:
    with Cluster(config={"log.retention.ms": "7d"}) as cluster:
        cluster.create_topic("long")
        cluster.create_topic("short", config={"retention.ms": timedelta(days=1)})
        retention_ms = cluster.look(
            lambda state, _now_ms: [
                state.configs.topic_values(topic, None)["retention.ms"]
                for topic in ("long", "short")
            ]
        )
        assert retention_ms == [7 * 86_400_000, 86_400_000]

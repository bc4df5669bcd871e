"""Changes by clients of the configs of one broker, or of all brokers."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.config.configuration_control import ConfigResource
from tests.state.config_changes import (
    ALL_BROKERS,
    APPEND,
    BROKER,
    DELETE,
    SET,
    Change,
    alter,
    cluster_with_topic,
    refusal_of,
)


def test_settings_of_one_broker_and_of_all_brokers_are_separate() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("log.retention.ms", SET, "5")], BROKER)
    alter(cluster, [("log.retention.ms", SET, "6")], ALL_BROKERS)
    assert cluster.configs.broker_integer("log.retention.ms", 1) == 5
    assert cluster.configs.broker_integer("log.retention.ms", 2) == 6
    alter(cluster, [("log.cleanup.policy", APPEND, "compact")], ALL_BROKERS)
    assert cluster.configs.broker_value("log.cleanup.policy") == ("delete", "compact")


def test_a_broker_accepts_configs_that_kafka_does_not_know() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("bogus", SET, "5")], BROKER)
    assert cluster.configs.dynamic_by_broker == {1: {"bogus": "5"}}


@pytest.mark.parametrize(
    ("resource", "change", "code", "kraft", "zookeeper"),
    [
        (
            BROKER,
            ("num.partitions", SET, "3"),
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: [num.partitions]",
            (
                "Invalid config value for resource ConfigResource(type=BROKER, name='1'): Cannot"
                " update"
                " these configs dynamically: Set(num.partitions)"
            ),
        ),
        (
            ALL_BROKERS,
            ("listeners", SET, "PLAINTEXT://:1"),
            ErrorCode.INVALID_REQUEST,
            (
                "Cannot update these configs at default cluster level, broker id must be specified:"
                " [listeners]"
            ),
            (
                "Invalid config value for resource ConfigResource(type=BROKER, name=''): Cannot"
                " update"
                " these configs at default cluster level, broker id must be specified:"
                " Set(listeners)"
            ),
        ),
        (
            BROKER,
            ("listeners", SET, "PLAINTEXT://:1"),
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: [listeners]",
            (
                "Invalid config value for resource ConfigResource(type=BROKER, name='1'): Cannot"
                " update"
                " these configs dynamically: Set(listeners)"
            ),
        ),
        (
            BROKER,
            ("ssl.keystore.location", SET, "/x"),
            ErrorCode.INVALID_REQUEST,
            (
                "These security configs can be dynamically updated only per-listener using the"
                " listener"
                " prefix: [ssl.keystore.location]"
            ),
            (
                "Invalid config value for resource ConfigResource(type=BROKER, name='1'): These"
                " security configs can be dynamically updated only per-listener using the listener"
                " prefix: HashSet(ssl.keystore.location)"
            ),
        ),
        (
            BROKER,
            ("log.retention.ms", SET, "abc"),
            ErrorCode.INVALID_REQUEST,
            "Invalid value abc for configuration log.retention.ms: Not a number of type LONG",
            (
                "Invalid config value for resource ConfigResource(type=BROKER, name='1'): Invalid"
                " value"
                " abc for configuration log.retention.ms: Not a number of type LONG"
            ),
        ),
    ],
)
def test_a_broker_config_that_cannot_change_is_refused(
    resource: ConfigResource, change: Change, code: ErrorCode, kraft: str, zookeeper: str
) -> None:
    for release, why in (("4.4", kraft), ("2.4", zookeeper)):
        refusal = refusal_of(release, [change], resource)
        assert (refusal.code, refusal.why) == (code, why)


def test_unchanged_configs_are_not_validated() -> None:
    cluster = cluster_with_topic()
    cluster.configs.set_broker_overrides(1, {"num.partitions": "3"})
    alter(cluster, [("log.retention.ms", SET, "5")], BROKER)
    assert cluster.configs.dynamic_by_broker[1] == {"num.partitions": "3", "log.retention.ms": "5"}


@pytest.mark.parametrize(
    ("resource", "change", "why"),
    [
        (BROKER, ("min.insync.replicas", SET, "2"), "Broker-level min.insync.replicas cannot be"),
        (ALL_BROKERS, ("min.insync.replicas", DELETE, None), "Cluster-level min.insync.replicas"),
    ],
)
def test_with_elr_min_insync_replicas_cannot_be_set_per_broker_or_removed(
    resource: ConfigResource, change: Change, why: str
) -> None:
    refusal = refusal_of("4.4", [change], resource)
    assert refusal.code is ErrorCode.INVALID_CONFIG
    assert refusal.why.startswith(why)


def test_min_insync_replicas_may_change_for_all_brokers() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("min.insync.replicas", SET, "2")], ALL_BROKERS)
    assert cluster.topics.by_name["orders"].partitions[0].config.min_insync_replicas == 2


def test_older_releases_accept_min_insync_replicas_per_broker() -> None:
    cluster = cluster_with_topic("2.4")
    alter(cluster, [("min.insync.replicas", SET, "2")], BROKER)
    assert cluster.configs.broker_integer("min.insync.replicas", 1) == 2

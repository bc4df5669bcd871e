"""Clients change configs: one by one or all at once, for topics, brokers and all brokers."""

from collections.abc import Sequence

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.configuration_control import (
    ConfigChange,
    ConfigOperation,
    ConfigResource,
    ResourceType,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster

SET, DELETE, APPEND, SUBTRACT = ConfigOperation
TOPIC = ConfigResource(type=ResourceType.TOPIC, name="orders")
BROKER = ConfigResource(type=ResourceType.BROKER, name="1")
ALL_BROKERS = ConfigResource(type=ResourceType.BROKER, name="")

Change = tuple[str, int, str | None]


def cluster_with_topic(release: str = "4.4") -> ClusterState:
    cluster = new_cluster(release)
    cluster.create_topic(NewTopic(name="orders"))
    return cluster


def alter(
    cluster: ClusterState,
    changes: Sequence[Change],
    resource: ConfigResource = TOPIC,
    *,
    validate_only: bool = False,
) -> None:
    cluster.configuration.incremental_alter(
        resource,
        [ConfigChange(name=name, operation=op, value=value) for name, op, value in changes],
        asked_broker_id=1,
        validate_only=validate_only,
    )


def replace(
    cluster: ClusterState,
    settings: Sequence[tuple[str, str | None]],
    resource: ConfigResource = TOPIC,
) -> None:
    cluster.configuration.replace(resource, settings, asked_broker_id=1, validate_only=False)


def refusal_of(
    release: str, changes: Sequence[Change], resource: ConfigResource = TOPIC
) -> ApiError:
    cluster = cluster_with_topic(release)
    before = cluster.as_text()
    with pytest.raises(ApiError) as refusal:
        alter(cluster, changes, resource)
    assert cluster.as_text() == before
    return refusal.value


def overrides(cluster: ClusterState) -> dict[str, str]:
    return cluster.configs.topic_overrides.get("orders", {})


# Single changes


def test_a_config_is_set_and_unset_and_the_others_stay() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("retention.ms", SET, "5"), ("segment.ms", SET, "6")])
    alter(cluster, [("retention.ms", SET, "7")])
    assert overrides(cluster) == {"retention.ms": "7", "segment.ms": "6"}
    alter(cluster, [("retention.ms", DELETE, None), ("bogus", DELETE, None)])
    assert overrides(cluster) == {"segment.ms": "6"}


def test_a_change_that_is_only_checked_changes_nothing() -> None:
    cluster = cluster_with_topic()
    before = cluster.as_text()
    alter(cluster, [("retention.ms", SET, "5")], validate_only=True)
    alter(cluster, [("log.retention.ms", SET, "5")], BROKER, validate_only=True)
    assert cluster.as_text() == before


def test_no_change_is_allowed() -> None:
    cluster = cluster_with_topic()
    before = cluster.as_text()
    alter(cluster, [])
    assert cluster.as_text() == before


def test_a_list_grows_and_shrinks_from_its_default_on() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("cleanup.policy", APPEND, "compact")])
    assert overrides(cluster) == {"cleanup.policy": "delete,compact"}
    alter(cluster, [("cleanup.policy", APPEND, "compact")])
    assert overrides(cluster) == {"cleanup.policy": "delete,compact"}
    alter(cluster, [("cleanup.policy", SUBTRACT, "delete,unknown")])
    assert overrides(cluster) == {"cleanup.policy": "compact"}
    alter(cluster, [("leader.replication.throttled.replicas", APPEND, "0:1")])
    assert overrides(cluster)["leader.replication.throttled.replicas"] == "0:1"


def test_older_releases_change_only_lists_that_are_set() -> None:
    cluster = cluster_with_topic("2.4")
    with pytest.raises(ApiError) as refusal:
        alter(cluster, [("cleanup.policy", APPEND, "compact")])
    assert refusal.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    alter(cluster, [("cleanup.policy", SET, "delete")])
    alter(cluster, [("cleanup.policy", APPEND, "compact")])
    assert overrides(cluster) == {"cleanup.policy": "delete,compact"}


def test_older_releases_add_to_a_list_what_is_there_and_take_away_one_of_it() -> None:
    replicas = "leader.replication.throttled.replicas"
    cluster = cluster_with_topic("2.4")
    alter(cluster, [(replicas, SET, "*")])
    alter(cluster, [(replicas, APPEND, "0:1,1:1")])
    alter(cluster, [(replicas, APPEND, "0:1")])
    assert overrides(cluster) == {replicas: "*,0:1,1:1,0:1"}
    alter(cluster, [(replicas, SUBTRACT, "0:1")])
    assert overrides(cluster) == {replicas: "*,1:1,0:1"}
    refusal = refusal_of("4.4", [(replicas, SET, "*,0:1")])
    assert refusal.code is ErrorCode.INVALID_CONFIG


def test_a_broker_words_a_list_that_is_none_as_it_always_did() -> None:
    refusal = refusal_of("4.4", [("log.retention.ms", APPEND, "1")], ALL_BROKERS)
    assert (refusal.code, refusal.why) == (
        ErrorCode.INVALID_CONFIG,
        "Config value append is not allowed for config key: log.retention.ms",
    )


WRAPPED = "Invalid config value for resource ConfigResource(type=TOPIC, name='orders'): "


@pytest.mark.parametrize(
    ("changes", "kraft", "zookeeper"),
    [
        (
            [("bogus", SET, "1")],
            (ErrorCode.INVALID_CONFIG, "Unknown topic config name: bogus"),
            (ErrorCode.INVALID_CONFIG, "Unknown topic config name: bogus"),
        ),
        (
            [("retention.ms", SET, "abc")],
            (
                ErrorCode.INVALID_CONFIG,
                "Invalid value abc for configuration retention.ms: Not a number of type LONG",
            ),
            (
                ErrorCode.INVALID_REQUEST,
                (
                    f"{WRAPPED}Invalid value abc for configuration retention.ms: Not a number of"
                    " type"
                    " LONG"
                ),
            ),
        ),
        (
            [("retention.ms", SET, None)],
            (ErrorCode.INVALID_REQUEST, "Null value not supported for : retention.ms"),
            (ErrorCode.UNKNOWN_SERVER_ERROR, ""),
        ),
        (
            [("retention.ms", SET, "5"), ("retention.ms", SET, "6")],
            (ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys"),
            (ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys : retention.ms"),
        ),
        (
            [("retention.ms", APPEND, "1")],
            (
                ErrorCode.INVALID_CONFIG,
                "Can't APPEND to key retention.ms because its type is not LIST.",
            ),
            (
                ErrorCode.INVALID_REQUEST,
                "Config value append is not allowed for config key: retention.ms",
            ),
        ),
        (
            [("retention.ms", 5, "1")],
            (ErrorCode.UNKNOWN_SERVER_ERROR, ""),
            (ErrorCode.UNKNOWN_SERVER_ERROR, "null"),
        ),
    ],
)
def test_a_wrong_change_is_refused_in_the_words_of_the_release(
    changes: Sequence[Change], kraft: tuple[ErrorCode, str], zookeeper: tuple[ErrorCode, str]
) -> None:
    for release, expected in (("4.4", kraft), ("2.4", zookeeper)):
        refusal = refusal_of(release, changes)
        assert (refusal.code, refusal.why) == expected


@pytest.mark.parametrize(
    ("kind", "name", "kraft", "zookeeper"),
    [
        (
            ResourceType.TOPIC,
            "nope",
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The topic 'nope' does not exist."),
            (ErrorCode.UNKNOWN_SERVER_ERROR, 'Topic "nope" does not exist.'),
        ),
        (
            ResourceType.TOPIC,
            "",
            (ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed."),
            (
                ErrorCode.INVALID_REQUEST,
                (
                    "Invalid config value for resource ConfigResource(type=TOPIC, name=''): Path"
                    " must"
                    " not end with / character"
                ),
            ),
        ),
        (
            ResourceType.BROKER,
            "x",
            (ErrorCode.INVALID_REQUEST, "Node id must be an integer, but it is: x"),
            (ErrorCode.INVALID_REQUEST, "Broker id must be an integer, but it is: x"),
        ),
        (
            ResourceType.BROKER,
            "2",
            (ErrorCode.INVALID_REQUEST, "Unexpected broker id, expected 1, but received 2"),
            (ErrorCode.INVALID_REQUEST, "Unexpected broker id, expected 1, but received 2"),
        ),
        (
            3,
            "x",
            (ErrorCode.INVALID_REQUEST, "Unknown resource type 3"),
            (ErrorCode.INVALID_REQUEST, "Unexpected resource type UNKNOWN"),
        ),
    ],
)
def test_a_resource_that_is_not_there_is_refused_in_the_words_of_the_release(
    kind: int, name: str, kraft: tuple[ErrorCode, str], zookeeper: tuple[ErrorCode, str]
) -> None:
    for release, expected in (("4.4", kraft), ("2.4", zookeeper)):
        refusal = refusal_of(
            release, [("retention.ms", SET, "1")], ConfigResource(type=kind, name=name)
        )
        assert (refusal.code, refusal.why) == expected


# Brokers


def test_a_broker_and_all_brokers_keep_their_settings_apart() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("log.retention.ms", SET, "5")], BROKER)
    alter(cluster, [("log.retention.ms", SET, "6")], ALL_BROKERS)
    assert cluster.configs.broker_integer("log.retention.ms", 1) == 5
    assert cluster.configs.broker_integer("log.retention.ms", 2) == 6
    alter(cluster, [("log.cleanup.policy", APPEND, "compact")], ALL_BROKERS)
    assert cluster.configs.broker_value("log.cleanup.policy") == ("delete", "compact")


def test_a_broker_takes_configs_that_kafka_does_not_know() -> None:
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


def test_what_is_left_as_it_is_may_be_anything() -> None:
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
def test_with_eligible_leader_replicas_the_cluster_decides_on_min_insync_replicas(
    resource: ConfigResource, change: Change, why: str
) -> None:
    refusal = refusal_of("4.4", [change], resource)
    assert refusal.code is ErrorCode.INVALID_CONFIG
    assert refusal.why.startswith(why)


def test_min_insync_replicas_may_change_for_all_brokers() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("min.insync.replicas", SET, "2")], ALL_BROKERS)
    assert cluster.topics.by_name["orders"].partitions[0].config.min_insync_replicas == 2


def test_older_releases_let_each_broker_have_its_min_insync_replicas() -> None:
    cluster = cluster_with_topic("2.4")
    alter(cluster, [("min.insync.replicas", SET, "2")], BROKER)
    assert cluster.configs.broker_integer("min.insync.replicas", 1) == 2


# All at once


def test_replacing_unsets_what_is_left_out() -> None:
    cluster = cluster_with_topic()
    replace(cluster, [("retention.ms", "5"), ("segment.ms", "6")])
    replace(cluster, [("segment.ms", "7")])
    assert overrides(cluster) == {"segment.ms": "7"}
    replace(cluster, [])
    assert overrides(cluster) == {}


def test_replacing_for_all_brokers_has_to_name_what_the_cluster_decides_on() -> None:
    cluster = cluster_with_topic()
    with pytest.raises(ApiError, match="cannot be removed while ELR is enabled"):
        replace(cluster, [("log.retention.ms", "5")], ALL_BROKERS)
    replace(cluster, [("log.retention.ms", "5"), ("min.insync.replicas", "1")], ALL_BROKERS)
    assert cluster.configs.broker_integer("log.retention.ms") == 5
    cluster = cluster_with_topic("2.4")
    replace(cluster, [("log.retention.ms", "5")], ALL_BROKERS)
    assert cluster.configs.dynamic_default == {"log.retention.ms": "5"}


def test_replacing_for_a_topic_without_a_name_is_refused_in_the_words_of_the_release() -> None:
    refusals: list[str] = []
    for release in ("4.4", "2.4"):
        cluster = cluster_with_topic(release)
        with pytest.raises(ApiError) as refusal:
            replace(cluster, [], ConfigResource(type=ResourceType.TOPIC, name=""))
        refusals.append(refusal.value.why)
    assert refusals == [
        "Default topic resources are not allowed.",
        "Topic name is illegal, it can't be empty",
    ]


def test_of_repeated_keys_older_releases_take_the_last() -> None:
    settings = [("segment.ms", "1000"), ("segment.ms", "2000")]
    cluster = cluster_with_topic("2.4")
    replace(cluster, settings)
    assert overrides(cluster) == {"segment.ms": "2000"}
    with pytest.raises(ApiError, match="duplicate config keys"):
        replace(cluster_with_topic("4.4"), settings)


def test_replacing_by_null_is_refused() -> None:
    with pytest.raises(ApiError, match="Null value not supported"):
        replace(cluster_with_topic(), [("segment.ms", None)])

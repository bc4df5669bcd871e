"""Config changes by clients: incremental, and by replacing all configs."""

from collections.abc import Sequence

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.configuration_control import ConfigResource, ResourceType
from tests.state.config_changes import (
    ALL_BROKERS,
    APPEND,
    BROKER,
    DELETE,
    SET,
    SUBTRACT,
    Change,
    alter,
    cluster_with_topic,
    overrides,
    refusal_of,
    replace,
)

# Single changes


def test_a_config_is_set_and_unset_without_changing_others() -> None:
    cluster = cluster_with_topic()
    alter(cluster, [("retention.ms", SET, "5"), ("segment.ms", SET, "6")])
    alter(cluster, [("retention.ms", SET, "7")])
    assert overrides(cluster) == {"retention.ms": "7", "segment.ms": "6"}
    alter(cluster, [("retention.ms", DELETE, None), ("bogus", DELETE, None)])
    assert overrides(cluster) == {"segment.ms": "6"}


def test_validate_only_changes_nothing() -> None:
    cluster = cluster_with_topic()
    before = cluster.as_text()
    alter(cluster, [("retention.ms", SET, "5")], validate_only=True)
    alter(cluster, [("log.retention.ms", SET, "5")], BROKER, validate_only=True)
    assert cluster.as_text() == before


def test_an_empty_change_is_allowed() -> None:
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


def test_older_releases_append_duplicates_and_subtract_one_of_them() -> None:
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


@pytest.mark.parametrize(
    ("release", "operation", "before", "value", "after"),
    [
        ("4.4", APPEND, "", "0:1,", "0:1"),
        ("4.4", APPEND, "0:1", ",1:1,,2:1", "0:1,,1:1,2:1"),
        ("4.4", APPEND, "0:1", ",", "0:1"),
        ("4.4", SUBTRACT, "0:1,,1:1", "0:1,", "1:1"),
        ("2.8", APPEND, "", "0:1,", ",0:1"),
        ("2.8", APPEND, "0:1,", "0:1,,", "0:1,0:1"),
        ("2.8", SUBTRACT, "0:1,,1:1", "0:1,", ",1:1"),
    ],
)
def test_empty_parts_of_a_list_are_those_that_java_keeps(
    release: str, operation: int, before: str, value: str, after: str
) -> None:
    replicas = "leader.replication.throttled.replicas"
    cluster = cluster_with_topic(release)
    alter(cluster, [(replicas, SET, before)])
    alter(cluster, [(replicas, operation, value)])
    assert overrides(cluster) == {replicas: after}


def test_a_broker_config_that_is_not_a_list_has_the_old_text() -> None:
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
def test_a_wrong_change_is_refused_with_the_text_of_the_release(
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
def test_a_missing_resource_is_refused_with_the_text_of_the_release(
    kind: int, name: str, kraft: tuple[ErrorCode, str], zookeeper: tuple[ErrorCode, str]
) -> None:
    for release, expected in (("4.4", kraft), ("2.4", zookeeper)):
        refusal = refusal_of(
            release, [("retention.ms", SET, "1")], ConfigResource(type=kind, name=name)
        )
        assert (refusal.code, refusal.why) == expected


# Replacing all configs


def test_replacing_unsets_omitted_configs() -> None:
    cluster = cluster_with_topic()
    replace(cluster, [("retention.ms", "5"), ("segment.ms", "6")])
    replace(cluster, [("segment.ms", "7")])
    assert overrides(cluster) == {"segment.ms": "7"}
    replace(cluster, [])
    assert overrides(cluster) == {}


def test_replacing_for_all_brokers_must_include_min_insync_replicas() -> None:
    cluster = cluster_with_topic()
    with pytest.raises(ApiError, match="cannot be removed while ELR is enabled"):
        replace(cluster, [("log.retention.ms", "5")], ALL_BROKERS)
    replace(cluster, [("log.retention.ms", "5"), ("min.insync.replicas", "1")], ALL_BROKERS)
    assert cluster.configs.broker_integer("log.retention.ms") == 5
    cluster = cluster_with_topic("2.4")
    replace(cluster, [("log.retention.ms", "5")], ALL_BROKERS)
    assert cluster.configs.dynamic_default == {"log.retention.ms": "5"}


def test_replacing_for_an_unnamed_topic_is_refused_with_the_text_of_the_release() -> None:
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


def test_older_releases_use_the_last_of_repeated_keys() -> None:
    settings = [("segment.ms", "1000"), ("segment.ms", "2000")]
    cluster = cluster_with_topic("2.4")
    replace(cluster, settings)
    assert overrides(cluster) == {"segment.ms": "2000"}
    with pytest.raises(ApiError, match="duplicate config keys"):
        replace(cluster_with_topic("4.4"), settings)


def test_replacing_by_null_is_refused() -> None:
    with pytest.raises(ApiError, match="Null value not supported"):
        replace(cluster_with_topic(), [("segment.ms", None)])


@pytest.mark.parametrize(
    ("kind", "name", "value"), [(32, "consumer.session.timeout.ms", "50000"), (16, "metrics", "*")]
)
def test_groups_and_client_metrics_have_configs(kind: int, name: str, value: str) -> None:
    cluster = cluster_with_topic()
    before = cluster.as_text()
    resource = ConfigResource(type=kind, name="g")
    alter(cluster, [(name, SET, value)], resource, validate_only=True)
    assert cluster.as_text() == before
    alter(cluster, [(name, SET, value)], resource)
    assert cluster.configs.named_overrides == {(kind, "g"): {name: value}}
    replace(cluster, [], resource)
    assert cluster.as_text() == before


@pytest.mark.parametrize(
    ("release", "kind", "name", "change", "code", "why"),
    [
        (
            "4.4",
            32,
            "",
            ("consumer.session.timeout.ms", SET, "50000"),
            ErrorCode.INVALID_REQUEST,
            "Default group resources are not allowed.",
        ),
        (
            "4.4",
            16,
            "",
            ("metrics", SET, "*"),
            ErrorCode.INVALID_REQUEST,
            "Subscription name can't be empty",
        ),
        (
            "4.4",
            16,
            "m",
            ("metrics", APPEND, "x"),
            ErrorCode.INVALID_CONFIG,
            "Can't APPEND to key metrics because its type is not LIST.",
        ),
        ("3.9", 32, "g", ("x", SET, "1"), ErrorCode.INVALID_REQUEST, "Unknown resource type 32"),
    ],
)
def test_configs_of_groups_and_client_metrics_have_their_own_refusals(
    release: str,
    kind: int,
    name: str,
    change: tuple[str, int, str],
    code: ErrorCode,
    why: str,
) -> None:
    refusal = refusal_of(release, [change], ConfigResource(type=kind, name=name))
    assert (refusal.code, refusal.why) == (code, why)


def test_the_oldest_release_replaces_configs_of_topics_only() -> None:
    with pytest.raises(ApiError) as refusal:
        replace(cluster_with_topic("0.11"), [("log.retention.ms", "5")], BROKER)
    assert (refusal.value.code, refusal.value.why) == (
        ErrorCode.INVALID_REQUEST,
        "AlterConfigs is only supported for topics, but resource type is BROKER",
    )

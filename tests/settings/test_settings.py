"""Settings come from the command line, a file and defaults, in this order, and are checked."""

import pytest

from mockbroker.errors import SettingsError
from mockbroker.settings.listener_settings import DEFAULT_PORT
from mockbroker.settings.settings import (
    Given,
    InitialTopic,
    Settings,
    resolve_settings,
)


def with_file(*lines: str, brokers: int = 1) -> Settings:
    return resolve_settings(Given(properties="\n".join(lines), brokers=brokers))


def error_of(given: Given) -> SettingsError:
    with pytest.raises(SettingsError) as error:
        resolve_settings(given)
    return error.value


# Precedence


def test_the_default_is_one_broker_of_the_newest_release_on_the_default_port() -> None:
    settings = resolve_settings(Given())
    (endpoint,) = settings.endpoints
    assert settings.options.release == "4.4"
    assert (endpoint.node_id, endpoint.main.host, endpoint.main.port) == (
        1,
        "127.0.0.1",
        DEFAULT_PORT,
    )
    assert (settings.configs, settings.topics, settings.warnings, settings.seed) == ({}, (), (), 0)


def test_the_command_line_takes_precedence_over_the_file() -> None:
    settings = resolve_settings(
        Given(
            properties="num.partitions=2\nlog.retention.ms=5\nlisteners=PLAINTEXT://localhost:1",
            configs=["num.partitions = 3"],
            host="0.0.0.0",
            port=9999,
        )
    )
    assert settings.configs == {"num.partitions": "3", "log.retention.ms": "5"}
    (endpoint,) = settings.endpoints
    assert (endpoint.main.host, endpoint.main.port) == ("0.0.0.0", 9999)


def test_a_value_may_hold_an_equals_sign() -> None:
    settings = resolve_settings(Given(configs=["sasl.kerberos.kinit.cmd=a=b"]))
    assert settings.configs == {"sasl.kerberos.kinit.cmd": "a=b"}


def test_the_seed_is_a_setting() -> None:
    assert resolve_settings(Given(configs=["mockbroker.seed=7"])).seed == 7


# Configs


def test_an_unknown_key_is_a_warning_with_a_guess() -> None:
    settings = resolve_settings(Given(configs=["num.partition=3", "x=1"]))
    assert settings.configs == {}
    assert settings.warnings == (
        "Kafka 4.4 has no broker config num.partition, it is ignored; did you mean num.partitions?",
        "Kafka 4.4 has no broker config x, it is ignored",
    )


def test_a_wrong_value_is_an_error_with_kafkas_reason() -> None:
    error = error_of(Given(configs=["num.partitions=none"]))
    assert (error.key, error.value) == ("num.partitions", "none")
    assert error.why == (
        "Invalid value none for configuration num.partitions: Not a number of type INT"
    )
    assert str(error).startswith("num.partitions=none: ")


@pytest.mark.parametrize("text", ["num.partitions", "=3", " =3"])
def test_a_config_without_key_or_value_is_an_error(text: str) -> None:
    assert error_of(Given(configs=[text])).why == "written as KEY=VALUE"


# Releases and features


def test_a_release_may_be_chosen() -> None:
    assert resolve_settings(Given(release="2.4.1")).options.release == "2.4"


def test_an_unsupported_release_is_an_error_that_names_the_supported_ones() -> None:
    error = error_of(Given(release="3.8"))
    assert (error.key, error.value) == ("--kafka", "3.8")
    assert "3.9 and 4.4" in error.why


def test_a_feature_may_be_set_to_another_level() -> None:
    settings = resolve_settings(Given(features=["transaction.version=1", "share.version=0"]))
    levels = {each.name: each.finalized_level for each in settings.options.features}
    assert (levels["transaction.version"], levels["share.version"]) == (1, 0)
    assert levels["eligible.leader.replicas.version"] == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Given(features=["transaction.version=3"]), "allowed are 0 to 2"),
        (Given(features=["transaction.version=x"]), "allowed are 0 to 2"),
        (Given(features=["nonsense=1"]), "Kafka 4.4 has no such feature; there are group.version"),
        (
            Given(release="2.4", features=["transaction.version=1"]),
            "Kafka 2.4 has no such feature; there are none",
        ),
        (Given(features=["transaction.version"]), "written as KEY=VALUE"),
    ],
)
def test_an_invalid_feature_is_an_error(given: Given, why: str) -> None:
    assert error_of(given).why.startswith(why)


# Brokers


def test_brokers_count_up_from_the_first_id_and_port() -> None:
    endpoints = with_file("node.id=5", "broker.rack=a", brokers=3).endpoints
    assert [each.node_id for each in endpoints] == [5, 6, 7]
    assert [each.main.port for each in endpoints] == [9092, 9093, 9094]
    assert [each.main.advertised_port for each in endpoints] == [9092, 9093, 9094]
    assert {each.rack for each in endpoints} == {"a"}


def test_free_ports_are_chosen_later() -> None:
    endpoints = resolve_settings(Given(port=0, brokers=2)).endpoints
    assert [(each.main.port, each.main.advertised_port) for each in endpoints] == [(0, 0), (0, 0)]


def test_an_older_name_of_the_first_id_counts_too() -> None:
    assert with_file("broker.id=0").endpoints[0].node_id == 0
    assert with_file("broker.id=-1").endpoints[0].node_id == 1


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (Given(brokers=0), "--brokers"),
        (Given(brokers=101), "--brokers"),
        (Given(port=-1), "--port"),
        (Given(port=65536), "--port"),
        (Given(port=65535, brokers=2), "--port"),
    ],
)
def test_impossible_numbers_are_errors(given: Given, key: str) -> None:
    error = error_of(given)
    assert error.key == key
    assert error.why.startswith("allowed are")


def test_the_ports_that_are_allowed_leave_room_for_every_broker() -> None:
    assert error_of(Given(port=65536)).why == "allowed are 0 to 65535"
    error = error_of(Given(port=65535, brokers=3))
    assert error.why == "allowed are 0, or 1 to 65533 for 3 brokers"
    last = resolve_settings(Given(port=65533, brokers=3)).endpoints[-1]
    assert last.main.port == 65535


def test_memory_for_less_than_one_large_batch_is_refused() -> None:
    error = error_of(Given(configs=["mockbroker.memory.bytes=1048575"]))
    assert error.key == "mockbroker.memory.bytes"
    assert error.why.endswith("Value must be at least 1048576")


# Topics


def test_topics_may_exist_from_the_start() -> None:
    settings = resolve_settings(Given(topics=["orders:3", "events"]))
    assert settings.topics == (
        InitialTopic(name="orders", num_partitions=3),
        InitialTopic(name="events", num_partitions=-1),
    )


@pytest.mark.parametrize("text", ["", ":3", "orders:", "orders:0", "orders:x"])
def test_an_invalid_topic_is_an_error(text: str) -> None:
    assert error_of(Given(topics=[text])).key == "--topic"


# What Kafka never shipped


def test_proposals_are_turned_on_by_name() -> None:
    settings = resolve_settings(Given(proposals=["last-epoch", "topic-metadata"]))
    assert settings.options.transaction_log_holds_last_epoch
    assert settings.options.metadata_has_topic_limits
    assert not settings.options.fences_first_write


def test_an_unknown_proposal_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError) as error:
        resolve_settings(Given(proposals=["last-epoch", "telepathy"]))
    assert str(error.value).startswith(
        "--proposal=telepathy: there is no such proposal; the proposals are"
    )


def test_a_proposal_that_cannot_act_is_refused_with_the_reason() -> None:
    with pytest.raises(SettingsError) as error:
        resolve_settings(Given(release="2.4", proposals=["topic-metadata", "last-epoch"]))
    assert str(error.value) == (
        "--proposal=last-epoch: the proposal would change nothing: "
        "it extends InitProducerId v3, which Kafka 2.4 lacks"
    )


STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


def test_the_authorizer_of_the_release_is_accepted() -> None:
    settings = resolve_settings(Given(configs=[f"authorizer.class.name={STANDARD}"]))
    assert settings.configs["authorizer.class.name"] == STANDARD


@pytest.mark.parametrize(
    ("release", "name", "why"),
    [
        ("4.4", "com.example.Mine", f"served as Kafka 4.4: {STANDARD}"),
        ("2.8", STANDARD, "served as Kafka 2.8: kafka.security.authorizer.AclAuthorizer"),
        ("2.4", STANDARD, "served as Kafka 2.4: kafka.security.authorizer.AclAuthorizer"),
        ("1.1", STANDARD, "served as Kafka 1.1: kafka.security.auth.SimpleAclAuthorizer"),
    ],
)
def test_another_authorizer_is_an_error(release: str, name: str, why: str) -> None:
    error = error_of(Given(release=release, configs=[f"authorizer.class.name={name}"]))
    assert name in str(error)
    assert why in str(error)

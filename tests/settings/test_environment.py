"""Environment variables of `serve`."""

from pathlib import Path

import pytest

from mockbroker.cli.serve import with_environment
from mockbroker.errors import SettingsError
from mockbroker.settings.environment import (
    ELSEWHERE,
    NOT_SETTINGS,
    OF_PACKAGES,
    OWN_VARIABLES,
    config_name,
    read_environment,
    variable_name,
)
from mockbroker.settings.serve_options import ServeOptions, parse_serve_options
from mockbroker.settings.settings import Given, Settings, resolve_settings
from mockbroker.state.config.definition import broker_definitions


@pytest.mark.parametrize(
    ("variable", "config"),
    [
        ("KAFKA_NUM_PARTITIONS", "num.partitions"),
        ("KAFKA_LISTENER_NAME_A__B_SSL_C___D", "listener.name.a_b.ssl.c-d"),
        ("KAFKA_MOCKBROKER_MEMORY_BYTES", "mockbroker.memory.bytes"),
    ],
)
def test_names_are_read_as_kafkas_image_reads_them(variable: str, config: str) -> None:
    assert config_name(variable) == config
    assert variable_name(config) == variable


def test_every_config_has_a_variable() -> None:
    for config in broker_definitions("4.4"):
        assert config_name(variable_name(config)) == config


def test_mockbroker_variables_are_options_and_kafka_variables_are_configs() -> None:
    environment = read_environment(
        {
            "MOCKBROKER_BROKERS": "3",
            "MOCKBROKER_TOPICS": "orders:3, payments",
            "MOCKBROKER_KAFKA_VERSION": "2.8",
            "MOCKBROKER_CLOCK": "manual",
            "MOCKBROKER_ADMIN_HOST": "0.0.0.0",
            "MOCKBROKER_ADMIN_PORT": "0",
            "MOCKBROKER_LOG_LEVEL": "error",
            "MOCKBROKER_LOG_FORMAT": "json",
            "MOCKBROKER_SEED": "7",
            "MOCKBROKER_ADVERTISED_HOST": "kafka.test",
            "MOCKBROKER_CLUSTER_ID": "4L6g3nShT-eMCtK--X86sw",
            "KAFKA_NUM_PARTITIONS": "5",
            "PATH": "/bin",
        }
    )
    assert ServeOptions()._replace(**environment.options) == ServeOptions(
        brokers=3,
        topics=["orders:3", "payments"],
        kafka="2.8",
        clock="manual",
        admin_host="0.0.0.0",
        admin_port=0,
        log_level="error",
        log_format="json",
    )
    assert environment.configs == {"mockbroker.seed": "7", "num.partitions": "5"}
    assert environment.advertised_host == "kafka.test"
    assert environment.cluster_id == "4L6g3nShT-eMCtK--X86sw"


def test_each_variable_of_mockbroker_is_recognised() -> None:
    said = {"is_strict": "0", "brokers": "1", "admin_port": "1", "log_level": "info"}
    said |= {"log_format": "json", "clock": "real", "tls": "1", "admin_tls": "0", "otel": "1"}
    for row in OWN_VARIABLES:
        environment = read_environment({row.name: said.get(row.target, "x")})
        assert not environment.unknown
        assert environment.variables == {row.target: row.name}


def test_variables_for_a_jvm_and_empty_ones_are_ignored() -> None:
    variables = {**dict.fromkeys(NOT_SETTINGS, "x"), "KAFKA_NUM_PARTITIONS": " "}
    assert read_environment(variables).configs == {}


@pytest.mark.parametrize("name", [*sorted(ELSEWHERE), OF_PACKAGES])
def test_variables_of_other_parts_are_no_unknown_settings(name: str) -> None:
    assert not read_environment({name: "x"}).unknown


def test_the_command_line_decides_before_the_environment() -> None:
    variables = {
        "KAFKA_NUM_PARTITIONS": "5",
        "KAFKA_COMPRESSION_TYPE": "lz4",
        "MOCKBROKER_BROKERS": "3",
        "MOCKBROKER_TOPICS": "orders",
        "MOCKBROKER_ADMIN_PORT": "8093",
        "MOCKBROKER_CLOCK": "real",
        "MOCKBROKER_SEED": "7",
        "MOCKBROKER_TLS": "0",
    }
    words = "-b 1 -t payments -c num.partitions=6 --admin-port 0 --clock offset --seed 8 --tls"
    given_options = parse_serve_options(words.split())
    assert given_options is not None
    options, given = with_environment(given_options, variables)
    assert options == given_options
    settings = resolve_settings(given)
    assert settings.configs["num.partitions"] == "6"
    assert settings.configs["compression.type"] == "lz4"
    assert (len(settings.endpoints), settings.seed, settings.tls) == (1, 8, True)
    assert [topic.name for topic in settings.topics] == ["payments"]


def test_the_environment_decides_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=2\ncompression.type=lz4\n")
    settings = resolved({"KAFKA_NUM_PARTITIONS": "5"}, ServeOptions(config_file=str(file)))
    assert settings.configs == {"num.partitions": "5", "compression.type": "lz4"}


def test_the_environment_sets_what_the_command_line_does_not() -> None:
    variables = {
        "KAFKA_LISTENERS": "PLAINTEXT://:19092",
        "MOCKBROKER_HOST": "0.0.0.0",
        "MOCKBROKER_ADVERTISED_HOST": "kafka.test",
        "MOCKBROKER_BROKERS": "2",
    }
    settings = resolved(variables)
    assert len(settings.endpoints) == 2
    main = settings.endpoints[0].main
    assert (main.host, main.port) == ("", 19092)
    assert (main.advertised_host, main.advertised_port) == ("kafka.test", 19092)
    main = resolved(variables, ServeOptions(host="127.0.0.1", port=29092)).endpoints[0].main
    assert (main.host, main.port) == ("127.0.0.1", 29092)


def test_a_host_in_a_variable_replaces_that_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("listeners=PLAINTEXT://localhost:19092\n")
    options = ServeOptions(config_file=str(file))
    main = resolved({"MOCKBROKER_HOST": "0.0.0.0"}, options).endpoints[0].main
    assert (main.host, main.port) == ("0.0.0.0", 19092)


def test_an_invalid_option_is_not_reported_with_the_variable_it_hides() -> None:
    variables = {"MOCKBROKER_BROKERS": "3", "KAFKA_NUM_PARTITIONS": "5"}
    with pytest.raises(SettingsError) as error:
        resolved(variables, ServeOptions(brokers=0))
    assert (error.value.key, error.value.value) == ("--brokers", "0")
    with pytest.raises(SettingsError) as error:
        resolved(variables, ServeOptions(configs=["num.partitions=x"]))
    assert (error.value.key, error.value.value) == ("num.partitions", "x")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("MOCKBROKER_BROKERS", "many", "not a valid integer"),
        ("MOCKBROKER_BROKERS", "0", "allowed are 1 to 100"),
        ("MOCKBROKER_LOG_LEVEL", "loud", "not one of 'debug', 'info', 'warning', 'error'"),
        ("MOCKBROKER_STRICT_CONFIG", "maybe", "allowed are 1 and 0"),
        ("MOCKBROKER_TOPICS", "t:0", "written as NAME or NAME:PARTITIONS, from 1 on"),
    ],
)
def test_an_invalid_value_is_reported_with_its_variable(name: str, text: str, why: str) -> None:
    with pytest.raises(SettingsError) as error:
        resolved({name: text})
    assert (error.value.key, error.value.value, error.value.why) == (name, text, why)


def test_an_invalid_config_is_reported_with_its_variable() -> None:
    with pytest.raises(SettingsError) as error:
        resolve_settings(read_environment({"KAFKA_NUM_PARTITIONS": "x"}).under(Given()))
    assert (error.value.key, error.value.value) == ("KAFKA_NUM_PARTITIONS", "x")


def test_an_unknown_variable_is_a_warning_or_in_strict_mode_an_error() -> None:
    unknown = {"KAFKA_NUM_PARTITION": "5", "MOCKBROKER_BROKER": "2"}
    assert resolved(unknown).warnings == (
        "MOCKBROKER_BROKER is not a setting and is ignored",
        "Kafka 4.4 has no broker config num.partition, it is ignored; did you mean num.partitions?",
    )
    strict = {"MOCKBROKER_STRICT_CONFIG": "1"}
    with pytest.raises(SettingsError, match="MOCKBROKER_BROKER"):
        resolved(unknown | strict)
    with pytest.raises(SettingsError, match="KAFKA_NUM_PARTITION=5"):
        resolved({"KAFKA_NUM_PARTITION": "5"} | strict)
    with pytest.raises(SettingsError, match=r"no\.such\.config=1"):
        resolved(strict, ServeOptions(configs=["no.such.config=1"]))


def resolved(variables: dict[str, str], options: ServeOptions | None = None) -> Settings:
    """Resolve settings as `serve` does."""
    _, given = with_environment(options or ServeOptions(), variables)
    return resolve_settings(given)

"""The command line decides before the environment, and that before the scenario."""

from pathlib import Path

import pytest

from mockbroker.cli.serve import with_environment
from mockbroker.errors import ScenarioError, SettingsError
from mockbroker.settings.config_origins import config_origins
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import resolve_settings

TEXT = """\
cluster:
  brokers: 3
  kafka: "3.9"
  topics: {orders: 2}
  clock: manual
  seed: 7
  features: {kraft.version: 0}
  config: {num.partitions: 5, log.retention.ms: 1000, default.replication.factor: 2}
"""


@pytest.fixture
def options(tmp_path: Path) -> ServeOptions:
    (tmp_path / "a.yaml").write_text(TEXT, "utf-8")
    (tmp_path / "server.properties").write_text("num.partitions=9\nmin.insync.replicas=2\n")
    return ServeOptions(
        scenario=str(tmp_path / "a.yaml"), config_file=str(tmp_path / "server.properties")
    )


def test_a_scenario_decides_before_the_file(options: ServeOptions) -> None:
    filled, given = with_environment(options, {})
    settings = resolve_settings(given)
    assert settings.options.release == "3.9"
    assert len(settings.endpoints) == 3
    assert [(each.name, each.num_partitions) for each in settings.topics] == [("orders", 2)]
    assert (settings.seed, filled.clock) == (7, "manual")
    assert settings.configs["num.partitions"] == "5"
    assert settings.configs["min.insync.replicas"] == "2"


def test_the_environment_decides_before_a_scenario(options: ServeOptions) -> None:
    variables = {
        "MOCKBROKER_BROKERS": "2",
        "MOCKBROKER_TOPICS": "mine",
        "MOCKBROKER_SEED": "8",
        "KAFKA_NUM_PARTITIONS": "6",
    }
    settings = resolve_settings(with_environment(options, variables)[1])
    assert len(settings.endpoints) == 2
    assert [each.name for each in settings.topics] == ["mine"]
    assert settings.seed == 8
    assert settings.configs["num.partitions"] == "6"
    assert settings.configs["log.retention.ms"] == "1000"


def test_the_command_line_decides_before_all(options: ServeOptions) -> None:
    own = options._replace(brokers=1, kafka="2.3", configs=["num.partitions=7"], seed=9)
    own = own._replace(topics=["a"], clock="offset")
    with pytest.raises(SettingsError, match=r"a.yaml: features kraft.version=0"):
        resolve_settings(with_environment(own, {})[1])
    own = own._replace(kafka="4.4")
    filled, given = with_environment(own, {"KAFKA_NUM_PARTITIONS": "6"})
    settings = resolve_settings(given)
    assert settings.options.release == "4.4"
    assert settings.configs["num.partitions"] == "7"
    assert (settings.seed, filled.clock, len(settings.endpoints)) == (9, "offset", 1)


def test_a_variable_names_the_scenario(options: ServeOptions) -> None:
    filled, given = with_environment(ServeOptions(), {"MOCKBROKER_SCENARIO": str(options.scenario)})
    assert filled.scenario == options.scenario
    assert len(resolve_settings(given).endpoints) == 3


def test_the_origin_of_a_config_is_its_scenario(options: ServeOptions) -> None:
    origins = {each.name: each.origin for each in config_origins(*with_environment(options, {}))}
    assert origins["num.partitions"] == f"scenario {options.scenario}"
    assert origins["min.insync.replicas"] == f"file {options.config_file}"


def test_an_invalid_config_names_its_scenario(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("cluster: {config: {num.partitions: many}}", "utf-8")
    with pytest.raises(SettingsError, match=r"a.yaml: num.partitions=many: Invalid value"):
        resolve_settings(with_environment(ServeOptions(scenario=str(file)), {})[1])
    file.write_text("cluster: {config: {num.partition: 1}}", "utf-8")
    with pytest.raises(SettingsError, match=r"num.partition=1: .*; did you mean num.partitions"):
        resolve_settings(with_environment(ServeOptions(scenario=str(file)), {})[1])
    file.write_text("cluster: {broker: 1}", "utf-8")
    with pytest.raises(ScenarioError, match="did you mean brokers"):
        with_environment(ServeOptions(scenario=str(file)), {})

"""The command that shows configs and where they come from."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockbroker.cli.commands import commands


def shown(*words: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(commands, ["config", *words])
    assert result.exit_code == exit_code, result.output
    return result.output


def test_configs_that_are_set_are_printed_and_kafkas_defaults_are_not() -> None:
    lines = shown("-c", "num.partitions=3").splitlines()
    assert "num.partitions=3" in lines
    assert "offsets.topic.replication.factor=1" in lines
    assert not any(line.startswith("num.io.threads") for line in lines)
    assert "num.io.threads=8" in shown("--all").splitlines()


def test_a_config_is_printed_with_the_origin_that_takes_precedence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=1\nmessage.max.bytes=1\nlog.retention.ms=1\n")
    monkeypatch.setenv("KAFKA_NUM_PARTITIONS", "3")
    monkeypatch.setenv("KAFKA_MESSAGE_MAX_BYTES", "3")
    words = ("--config-file", str(file), "-c", "message.max.bytes=2")
    lines = shown(*words, "--show-origin").splitlines()
    origins = {line.split()[-1]: line.rsplit(maxsplit=1)[0] for line in lines}
    assert origins["num.partitions=3"] == "KAFKA_NUM_PARTITIONS"
    assert origins["message.max.bytes=2"] == "command line"
    assert origins["log.retention.ms=1"] == f"file {file}"
    assert origins["group.initial.rebalance.delay.ms=0"] == "mockbroker"


def test_configs_are_printed_as_json_too() -> None:
    document = json.loads(shown("--json", "--all", "-c", "ssl.key.password=secret"))
    assert document["_v"] == 1
    by_name = {each["name"]: each for each in document["configs"]}
    assert by_name["num.io.threads"]["origin"] == "Kafka"
    assert by_name["ssl.key.password"]["value"] == "[hidden]"
    assert by_name["broker.rack"]["value"] is None


def test_configs_with_which_a_cluster_would_not_start_are_refused() -> None:
    assert "num.partitions=x" in shown("-c", "num.partitions=x", exit_code=2)
    assert "cannot read nobody.properties: " in shown(
        "--config-file", "nobody.properties", exit_code=2
    )

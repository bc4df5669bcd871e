"""Command `mockbroker diff`, against mockbrokers that answer right and wrong."""

import json
import shlex
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from mockbroker import API, Cluster
from mockbroker.cli.commands import commands
from tests.support.scripted_broker import recorded_cluster

WRONG: Final = "UNKNOWN_LEADER_EPOCH"
SCENARIOS = (
    "alter_topic_configs",
    "create_topics_counts",
    "delete_topics_by_id",
    "describe_transactions",
    "idempotent_sequences",
    "init_bump",
    "join_in_every_version",
    "list_offsets_by_time",
    "metadata_of_all",
    "offsets_are_deleted",
    "produce_within",
    "share_sessions",
    "undecodable_requests",
)


@pytest.fixture
def cluster() -> Generator[Cluster]:
    with recorded_cluster() as running:
        yield running


def diff(cluster: Cluster, *words: str) -> Result:
    return CliRunner().invoke(commands, ["diff", "--against", cluster.bootstrap_servers, *words])


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def chosen(*names: str) -> list[str]:
    return [word for name in names for word in ("--scenario", name)]


@pytest.mark.slow
def test_a_mockbroker_does_not_differ_from_kafka(cluster: Cluster) -> None:
    result = diff(cluster, *chosen(*SCENARIOS))
    assert result.exit_code == 0, result.output
    assert f"{len(SCENARIOS)} conversations" in result.stdout
    assert f"{len(SCENARIOS)} same, 0 differ" in result.stdout


def test_a_wrong_answer_is_found_at_its_api_and_can_be_reproduced(cluster: Cluster) -> None:
    fault = cluster.fault(API.OFFSET_FOR_LEADER_EPOCH).answer(WRONG).every_time()
    result = diff(cluster, *chosen("offset_for_leader_epoch", "init_bump"), "--json")
    found = document(result)
    assert result.exit_code == 1
    assert {each["api"] for each in found["differences"]} == {"OffsetForLeaderEpoch"}
    assert found["conversations"] == {"same": 1, "differ": 1}
    first = found["differences"][0]
    assert first["fields"][0]["given"] == WRONG

    words = shlex.split(first["reproduce"])
    assert words[:2] == ["mockbroker", "diff"]
    again = CliRunner().invoke(commands, words[1:])
    assert again.exit_code == 1
    assert f"Step {first['step']}: {first['name']} ({first['asked']})" in again.stdout
    assert f'"{WRONG}"' in again.stdout

    fault.remove()
    assert CliRunner().invoke(commands, words[1:]).exit_code == 0


def test_a_closed_connection_is_a_refusal(cluster: Cluster) -> None:
    cluster.fault(API.OFFSET_FOR_LEADER_EPOCH).drop_request().every_time()
    result = diff(cluster, *chosen("offset_for_leader_epoch"), "--step", "3")
    assert result.exit_code == 1
    assert "refused (closes the connection)" in result.stdout


@pytest.mark.slow
def test_conversations_are_chosen_by_api(cluster: Cluster) -> None:
    found = document(diff(cluster, "--api", "DescribeTopicPartitions", "--list", "--json"))
    assert found["asked"] == ["describe_topic_partitions"]


def test_the_list_has_a_reason_for_what_is_not_asked(cluster: Cluster) -> None:
    result = diff(cluster, "--list")
    assert result.exit_code == 0
    assert "  fetch_order\n" in result.stdout
    assert "  create_topics_on_three_brokers: needs 3 brokers\n" in result.stdout


def test_configs_may_be_assumed(cluster: Cluster) -> None:
    words = ["--scenario", "delete_topics_is_disabled", "--list", "--json"]
    assert not document(diff(cluster, *words))["asked"]
    assumed = diff(cluster, *words, "--assume", "delete.topic.enable=false")
    assert document(assumed)["asked"] == ["delete_topics_is_disabled"]


def test_reports_are_written(cluster: Cluster, tmp_path: Path) -> None:
    cluster.fault(API.OFFSET_FOR_LEADER_EPOCH).answer(WRONG).every_time()
    page, data = tmp_path / "report.md", tmp_path / "report.json"
    for path in (page, data):
        diff(cluster, *chosen("offset_for_leader_epoch"), "--output", str(path))
    assert "### offset_for_leader_epoch, step " in page.read_text("utf-8")
    assert json.loads(data.read_text("utf-8"))["kafka"] == "4.4.0"


@pytest.mark.slow
def test_a_walk_is_compared_with_mockbroker_and_says_so(cluster: Cluster) -> None:
    result = diff(cluster, "--walk", "log", "--seed", "7", "--step", "9")
    assert result.exit_code == 0, result.output
    assert "and mockbroker as Kafka 4.4, not real Kafka" in result.stdout
    assert "Step 9: " in result.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--kafka", "9.9"], "Kafka '9.9' is not recorded; there are 4.4, "),
        (["--scenario", "nope"], "no conversation is named 'nope'"),
        (["--api", "Fetsch"], "no API is named 'Fetsch'"),
        (["--walk", "moon"], "no walk is named 'moon'; there are configs, "),
        (["--step", "3"], "--step needs one --scenario, or --walk"),
        (["--assume", "x"], "expected KEY=VALUE"),
        (["--output", "report.txt"], "ends neither in .md nor in .json"),
    ],
)
def test_wrong_usage_is_explained(cluster: Cluster, words: list[str], why: str) -> None:
    result = diff(cluster, *words)
    assert result.exit_code == 2
    assert why in " ".join(result.output.split())


def test_an_address_has_a_host_and_a_port() -> None:
    result = CliRunner().invoke(commands, ["diff", "--against", "localhost"])
    assert result.exit_code == 2
    assert "--against=localhost" in result.output


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    result = CliRunner().invoke(commands, ["diff", "--against", f"127.0.0.1:{port}"])
    assert result.exit_code == 3
    assert "nobody listens at 127.0.0.1" in result.output

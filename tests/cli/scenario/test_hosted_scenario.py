"""`run` and `serve` with a scenario, and a client of confluent-kafka."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.process import run, served
from tests.support.scenarios import LOST_ACK, PRODUCES

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.yaml"
    file.write_text(LOST_ACK, "utf-8")
    return file


def run_client(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run("run", "-s", str(file), *words, "--", sys.executable, "-c", PRODUCES)


def test_a_run_takes_the_steps_beside_its_command(file: Path) -> None:
    result = run_client(file, "--json")
    document = json.loads(result.stdout)
    assert result.returncode == 0, result.stderr
    assert document["step"] is None
    assert [each["name"] for each in document["assertions"]] == [
        "no-loss:topic=orders",
        "all-faults-fired",
    ]


def test_a_run_fails_where_an_expectation_does_not_hold(file: Path) -> None:
    result = run_client(file, "--assert", "exactly-once")
    assert result.returncode == 1
    assert "repeats offset 0" in result.stderr
    assert run_client(file, "--no-assertions").returncode == 0


def test_a_run_fails_where_a_step_did_not_begin(file: Path) -> None:
    result = run("run", "-s", str(file), "--", sys.executable, "-c", "")
    assert result.returncode == 1
    assert (
        f"mockbroker: {file}:11:5: wait_for: {{fault: retry, held: 1}}: it did not" in result.stderr
    )


def test_a_run_without_expectations_checks_the_default_ones(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for expect, names in (({}, ["exactly-once", "all-faults-fired"]), ({"expect": []}, [])):
        file.write_text(json.dumps(expect), "utf-8")
        result = run("run", "-s", str(file), "--json", "--", sys.executable, "-c", "")
        assert [each["name"] for each in json.loads(result.stdout)["assertions"]] == names


@pytest.mark.parametrize("words", [("run", "--", "true"), ("serve", "--port", "0"), ("config",)])
def test_a_scenario_that_is_not_valid_starts_nothing(tmp_path: Path, words: Sequence[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("steps: [kil: 1]\nexpect: [a]", "utf-8")
    name, *rest = words
    result = run(name, "--scenario", str(file), *rest)
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        f"{file}:1:9: there is no action 'kil'; did you mean kill?\n{file}:2:10:" in result.stderr
    )
    missing = run(name, "--scenario", str(tmp_path / "b.yaml"), *rest)
    assert missing.returncode == 2
    assert "b.yaml" in missing.stderr


def test_a_fault_that_the_cluster_refuses_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        "cluster: {kafka: 2.8}\nfaults: [{match: {api: ShareFetch}, effect: {throttle: 1s}}]"
    )
    for words in (
        ("run", "-s", str(file), "--", "true"),
        ("serve", "--port", "0", "-s", str(file)),
    ):
        result = run(*words)
        assert result.returncode == 2
        assert f"{file}:2:24: ShareFetch is not served" in result.stderr


def test_a_served_cluster_takes_the_steps_and_is_judged_at_its_end(file: Path) -> None:
    with served("--json", "-s", str(file)) as server:
        environment = {"KAFKA_BOOTSTRAP_SERVERS": server.ready["bootstrap_servers"]}
        subprocess.run([sys.executable, "-c", PRODUCES], check=True, env=environment)
        assert server.stop() == 0
    with served("--json", "-s", str(file)) as server:
        assert server.stop() == 1
    assert (
        f"mockbroker: {file}:11:5: wait_for: {{fault: retry, held: 1}}: it did not" in server.stderr
    )
    assert server.stderr.count(":11:5:") == 1
    assert f"mockbroker: {file}:18:5: all-faults-fired: faults that never" in server.stderr


def test_a_step_that_fails_is_reported_at_once(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("steps: [start: 1]", "utf-8")
    with served("--json", "-s", str(file)) as server:
        why = "start: {broker: 1}: broker 1 is running, not killed or stopped"
        assert server.next_error() == f"mockbroker: {file}:1:9: {why}\n"
        assert server.stop() == 1

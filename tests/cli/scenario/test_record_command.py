"""`mockbroker record`: a session on the command line becomes a scenario, which runs again."""

import json
import sys
from pathlib import Path

import pytest

from mockbroker.scenario.reading import read_scenario
from tests.support.admin_cli import AdminCli
from tests.support.process import run, served
from tests.support.scenarios import PRODUCES

pytestmark = pytest.mark.slow

SESSION = """\
cluster:
  brokers: 2
  kafka: '4.4'
  topics: {orders: 1}
faults:
- id: lost
  match: {api: Produce}
  effect: {lose_response: after_apply}
steps:
- clock.advance: {by: 7d}
- kill: {broker: 2}
"""


def test_a_session_is_written_checked_and_run(tmp_path: Path) -> None:
    file = tmp_path / "session.yaml"
    with served("--json", "-t", "orders:1", "-b", "2", "--admin-port", "0") as server:
        cli = AdminCli(server)
        cli.run("faults", "add", "--id", "lost", "--api", "Produce", "lose-response")
        cli.run("clock", "advance", "7d")
        cli.run("broker", "kill", "2")
        shown = cli.text("record")
        assert cli.text("record", "-o", str(file)) == f"{file} has 1 fault, 2 steps\n"
        document = cli.document("record", "--no-waits")
    assert shown == file.read_text("utf-8")
    head, _, text = shown.partition("\n")
    assert head.startswith("# Recorded by mockbroker ")
    assert text == SESSION
    assert document["left_out"] == []
    assert len(read_scenario(file).steps) == 2
    assert run("check", str(file)).returncode == 0
    words = ("run", "-s", str(file), "--json", "--", sys.executable, "-c", PRODUCES)
    again = run(*words)
    assert (again.returncode, json.loads(again.stdout)["step"]) == (0, None), again.stderr


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with served("--json", "--admin-port", "0") as server:
        why = AdminCli(server).refusal("record", "-o", str(tmp_path / "none" / "a.json"))
    assert "No such file or directory" in why

"""`mockbroker check`: whether scenario files are valid."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mockbroker.cli.commands import commands
from tests.support.scenarios import LOST_ACK


def check(*words: str | Path) -> Result:
    return CliRunner().invoke(commands, ["check", *map(str, words)])


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text(LOST_ACK, "utf-8")
    return file


def test_a_valid_file_is_counted(good: Path) -> None:
    result = check(good)
    assert result.exit_code == 0
    assert result.stdout == f"{good} is valid: 2 faults, 5 steps, 2 expectations\n"


def test_problems_are_printed_with_their_places(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("steps: [kil: 1]\ncluster: {x: 1}\n", "utf-8")
    result = check(bad, good, tmp_path / "none.yaml")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        f"{bad}:1:9: there is no action 'kil'; did you mean kill?",
        f"{bad}:2:11: there is no field 'x'",
        f"{good} is valid: 2 faults, 5 steps, 2 expectations",
        f"{tmp_path / 'none.yaml'}:1:1: cannot be read: No such file or directory",
    ]


def test_the_cluster_and_the_faults_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("cluster: {config: {num.partition: 1}}", "utf-8")
    document = json.loads(check("--json", file).stdout)
    (problem,) = document["files"][0]["problems"]
    assert (document["ok"], problem["line"], problem["column"]) == (False, 1, 35)
    assert problem["why"].endswith("did you mean num.partitions?")


def test_the_schema_is_printed_for_editors() -> None:
    schema = json.loads(check("--schema").stdout)
    assert schema["title"] == "mockbroker scenario"
    assert json.loads(check("--schema", "--json").stdout)["schema"] == schema
    refused = check()
    assert (refused.exit_code, "name a scenario file" in refused.output) == (2, True)

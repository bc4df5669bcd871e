"""`mockbroker spark`, and its alias."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mockbroker.cli.commands import commands
from mockbroker.cli.spark import spark_commands
from mockbroker.spark.connector import JARS_VARIABLE
from mockbroker.spark.examination import Check

CONNECTOR = "spark-sql-kafka-0-10_2.13-4.0.0.jar"


def test_the_jars_are_one_line_for_spark_submit(tmp_path: Path) -> None:
    jars = [tmp_path / "kafka-clients-3.9.0.jar", tmp_path / CONNECTOR]
    for jar in jars:
        jar.touch()
    arguments = ["spark", "jars", "--spark", "4.0.0"]
    done = CliRunner().invoke(commands, arguments, env={JARS_VARIABLE: str(tmp_path)})
    assert (done.exit_code, done.stdout) == (0, ",".join(map(str, jars)) + "\n")
    assert "--packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0" in done.stderr


def test_missing_jars_are_an_error(tmp_path: Path) -> None:
    arguments = ["spark", "jars", "--spark", "4.0.0"]
    done = CliRunner().invoke(commands, arguments, env={JARS_VARIABLE: str(tmp_path)})
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"mockbroker: {JARS_VARIABLE}={tmp_path} has no {CONNECTOR}\n"


@pytest.mark.parametrize(("is_fine", "exit_code"), [(True, 0), (False, 1)])
def test_the_doctor_reports_problems_and_advice(
    monkeypatch: pytest.MonkeyPatch, is_fine: bool, exit_code: int
) -> None:
    def examine() -> list[Check]:
        return [
            Check("Java", is_fine=True, text="17.0.15"),
            Check("pyspark", is_fine=is_fine, text="not tested", advice="take another"),
        ]

    monkeypatch.setattr(spark_commands, "examine", examine)
    done = CliRunner().invoke(commands, ["spark", "doctor"])
    assert done.exit_code == exit_code
    assert done.stdout.splitlines() == [
        "ok    Java     17.0.15",
        f"{'ok   ' if is_fine else 'WRONG'} pyspark  not tested",
        "               -> take another",
    ]


@pytest.mark.slow
def test_the_alias_is_the_command_and_imports_no_pyspark() -> None:
    program = (
        "import runpy, sys; sys.argv = ['spark', '-h']\n"
        "try: runpy.run_module('mockbroker.spark', run_name='__main__')\n"
        "except SystemExit: print('pyspark' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("Usage: mockbroker spark [OPTIONS] COMMAND")
    assert ran.stdout.endswith("False\n")


@pytest.mark.slow
def test_the_deprecated_alias_of_the_pipeline_is_the_whole_command() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mockbroker.pipeline", "audit"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    first, second, *_ = ran.stderr.splitlines()
    assert first == (
        "mockbroker: python -m mockbroker.pipeline is deprecated: use the command `mockbroker`"
    )
    assert second == "Usage: mockbroker audit [OPTIONS] SOURCE..."

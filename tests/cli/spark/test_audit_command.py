"""The command `audit`: its outputs and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from mockbroker.cli.commands import commands
from mockbroker.errors import install_hint
from mockbroker.spark.local_session import LIGHT
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["audit", *map(str, arguments)])


def test_a_clean_journal(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    answer = run(written(tmp_path / "j", list(produced(9))), "--out", out)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith("Clean: nothing was found\n")
    assert answer.stdout.endswith(f"The report: {out}/report.html\n")
    assert "reading and folding: " in answer.stderr
    assert (out / "report.html").is_file()


def test_as_json_stdout_is_the_document(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = run(tmp_path / "gone", "--out", out, "--json")
    assert answer.exit_code == 2
    assert json.loads(answer.stdout) == json.loads((out / "verdict.json").read_text("utf-8"))
    assert "Path does not exist" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "x"], "Missing argument 'SOURCE...'"),
        (["j"], "Missing option '--out'"),
        (["j", "--out", "x", "--fail-on", "TRACE"], "'TRACE' is not one of"),
        (["j", "--out", "/dev/null/x"], "Not a directory"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], said: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert said in answer.output


def test_spark_submit_runs_the_package_with_a_folder_made_for_it(tmp_path: Path) -> None:
    journal, folder = written(tmp_path / "j", list(produced(9))), tmp_path / "package"
    made = CliRunner().invoke(commands, ["package", str(folder)])
    assert made.exit_code == 0
    submit = str(Path(sys.executable).with_name("spark-submit"))
    ran = subprocess.run(
        [
            *(submit, "--master", "local[1]", "--driver-memory", "1g"),
            *("--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1"),
            *("--conf", "spark.sql.shuffle.partitions=2"),
            *("--driver-java-options", LIGHT["spark.driver.extraJavaOptions"]),
            *("--py-files", str(folder / "mockbroker.zip"), str(folder / "mockbroker_pipeline.py")),
            *("audit", str(journal), "--out", str(tmp_path / "out")),
        ],
        cwd=tmp_path,
        # Nothing of this repository is on the path of driver or worker.
        env={"PATH": "/usr/bin:/bin", "PYSPARK_PYTHON": sys.executable, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Clean: nothing was found" in ran.stdout
    document = json.loads((tmp_path / "out" / "verdict.json").read_text("utf-8"))
    assert document["sources"][0]["counts"]["appends"] == 9


WITHOUT_SPARK = """
import sys
from importlib import metadata

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pyspark":
            raise ModuleNotFoundError(name=name)

there = metadata.version

def version(name):
    if name == "pyspark":
        raise metadata.PackageNotFoundError(name)
    return there(name)

sys.meta_path.insert(0, Hidden())
metadata.version = version
from mockbroker.cli.commands import commands
commands(["audit", "journal", "--out", sys.argv[1]], prog_name="pipeline")
"""


def test_without_pyspark_the_error_names_what_to_install_in_one_line(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SPARK, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == f"mockbroker: pyspark is not installed: {install_hint('spark')}\n"

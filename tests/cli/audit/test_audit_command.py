"""The command `audit`: its outputs and its exit codes, in this process and with Spark."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from mockbroker import ClientAccess, Cluster
from mockbroker.cli.commands import commands
from mockbroker.errors import install_hint
from mockbroker.journal.options import JournalFormat
from tests.support.hanging import WITHOUT_VERIFICATION, leave_hanging
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def findings_in(out: Path) -> list[dict[str, Any]]:
    parquet: Any = import_module("pyarrow.parquet")
    found: list[dict[str, Any]] = parquet.read_table(out / "findings.parquet").to_pylist()
    return found


def with_spark(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that needs PySpark."""
    for mark in SPARK_MARKS:
        test = mark(test)
    return test


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["audit", *map(str, arguments)])


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_journal_is_judged_without_java(tmp_path: Path, format: JournalFormat) -> None:  # noqa: A002
    out = tmp_path / "out"
    entries = without_call(produced(9), 5)
    answer = run(written(tmp_path / "j", entries, format=format), "--out", out)
    assert answer.exit_code == 1, answer.output
    assert "ERROR SEQUENCE_GAP: " in answer.stdout
    assert answer.stderr.startswith(f"judging {tmp_path}/j: ")
    assert "<svg" in (out / "report.html").read_text("utf-8")
    found = findings_in(out)
    assert "SEQUENCE_GAP" in {each["rule"] for each in found}
    document = json.loads((out / "verdict.json").read_text("utf-8"))
    assert document["sources"][0]["counts"]["appends"] == 8


def test_without_a_folder_for_the_results_they_are_only_printed(tmp_path: Path) -> None:
    answer = run(written(tmp_path / "j", list(produced(9)), format="jsonl"))
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith("Nothing was found. Not judged: duplicates by identity\n")
    assert answer.stdout.endswith("The report: --out DIR writes one\n")
    assert [each.name for each in tmp_path.iterdir() if each.name[0] != "."] == ["j"]


def test_a_journal_is_clean_if_duplicates_by_identity_are_turned_off(tmp_path: Path) -> None:
    answer = run(written(tmp_path / "j", list(produced(9))), "--identity", "off")
    assert answer.stdout.startswith("Clean: nothing was found\n")


def test_a_journal_may_have_no_identities(tmp_path: Path) -> None:
    answer = run(written(tmp_path / "j", list(produced(9))), "--identity", "header:order-id")
    assert answer.exit_code == 2
    assert "It was recorded without identities of records." in answer.stdout
    assert "Not judged: duplicates by identity\n" in answer.stdout


def test_topics_of_a_secured_cluster_are_judged_without_spark(tmp_path: Path) -> None:
    config = WITHOUT_VERIFICATION | {
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    }
    with Cluster(config=config, topics={"orders": 1}) as cluster:
        cluster.users.add("audit", "top-secret")
        leave_hanging(cluster.bootstrap_servers, "orders")
        access = ClientAccess("audit", "top-secret", listener="SASL_PLAINTEXT")
        settings = cluster.client_config("java", access)
        source = f"kafka://{settings.pop('bootstrap.servers')}/orders"
        file = tmp_path / "client.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        out = tmp_path / "out"
        answer = run(source, "--command-config", file, "--out", out, "--identity", "off")
        assert answer.exit_code == 1, answer.output
        assert "ERROR HANGING_TXN: orders-0: producer 0 epoch 0 has a transaction" in answer.stdout
        assert "RETRY_STORM" in answer.stdout, "it says what was not judged"
        assert "<svg" in (out / "report.html").read_text("utf-8")
        told = answer.output + "".join(
            path.read_bytes().decode("latin-1") for path in out.iterdir()
        )
        assert "top-secret" not in told
        settings["sasl.jaas.config"] = settings["sasl.jaas.config"].replace("top-", "no-")
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        refused = run(source, "--command-config", file)
        assert refused.exit_code == 2
        assert "refuses the login by SCRAM-SHA-256" in refused.stdout
        assert "no-secret" not in refused.output


def test_a_clean_journal_has_no_finding_to_fail_on(tmp_path: Path) -> None:
    journal = written(tmp_path / "j", without_call(produced(9), 5), format="jsonl")
    assert run(journal, "--fail-on", "ERROR").exit_code == 1
    assert run(written(tmp_path / "k", list(produced(9)))).exit_code == 0


@with_spark
def test_both_engines_compare_a_column_of_what_readers_found(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    journal = written(tmp_path / "j", list(produced(9, partitions=1)), format="jsonl")
    rows = [("orders", 0, offset, order_id) for offset, order_id in ((1, 7), (5, 8), (9, 7))]
    columns = "topic string, partition int, offset bigint, order_id int"
    spark: Any = mockbroker_spark
    spark.createDataFrame(rows, columns).write.parquet(str(tmp_path / "found"))
    wanted = ("--identity", "column:order_id", "--found", tmp_path / "found")
    one, other = (run(journal, *wanted, "--engine", each) for each in ("process", "spark"))
    assert one.exit_code == other.exit_code == 1, one.output
    assert "1 record (offset 9) is stored again: it is '7', which is also in" in one.stdout
    assert one.stdout == other.stdout
    wanted = ("--identity", "column:id", "--found", tmp_path / "found")
    for engine in ("process", "spark"):
        answer = run(journal, *wanted, "--engine", engine)
        assert answer.exit_code == 2
        assert "The records that readers found cannot be read" in answer.stdout


@with_spark
def test_both_engines_leave_out_the_part_with_an_invalid_line(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    journal = written(tmp_path / "j", without_call(produced(60), 50), format="jsonl", parts=3)
    part = journal / "part-00002.jsonl"
    part.write_bytes(part.read_bytes() + b"}{ rubbish\n")
    one, other = (run(journal, "--engine", engine) for engine in ("process", "spark"))
    assert one.exit_code == other.exit_code == 2
    assert "the first: '}{ rubbish'" in one.stdout
    texts = [answer.stdout.replace("file:", "") for answer in (one, other)]
    assert texts[0].splitlines()[:4] == texts[1].splitlines()[:4]


@with_spark
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_both_engines_come_to_the_same_results(
    mockbroker_spark: "SparkSession",
    tmp_path: Path,
    format: JournalFormat,  # noqa: A002
) -> None:
    journal = written(tmp_path / "j", without_call(produced(60), 25), format=format, parts=3)
    results: list[list[object]] = []
    for engine in ("process", "spark"):
        out = tmp_path / engine
        assert run(journal, "--out", out, "--engine", engine).exit_code == 1
        results.append(
            [
                (out / "verdict.json").read_text("utf-8"),
                (out / "report.html").read_text("utf-8"),
                findings_in(out),
            ]
        )
    assert results[0] == results[1]


@with_spark
def test_both_engines_judge_a_journal_around_its_gap(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    journal = written(tmp_path / "j", list(produced(60)), format="jsonl", parts=4)
    (journal / "part-00002.jsonl").unlink()
    results: list[str] = []
    for engine in ("process", "spark"):
        answer = run(journal, "--engine", engine, "--json")
        assert answer.exit_code == 2
        results.append(answer.stdout)
    assert results[0] == results[1]


@with_spark
def test_a_clean_journal(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    journal = written(tmp_path / "j", list(produced(9)))
    answer = run(journal, "--out", out, "--engine", "spark", "--identity", "off")
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith("Clean: nothing was found\n")
    assert answer.stdout.endswith(f"The report: {out}/report.html\n")
    assert "judging partitions: " in answer.stderr
    assert (out / "report.html").is_file()


@with_spark
def test_as_json_stdout_is_the_document(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    for engine, said in (("spark", "Path does not exist"), ("process", "no such folder")):
        out = tmp_path / engine
        answer = run(tmp_path / "gone", "--out", out, "--json", "--engine", engine)
        assert answer.exit_code == 2
        assert json.loads(answer.stdout) == json.loads((out / "verdict.json").read_text("utf-8"))
        assert said in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "x"], "Missing argument 'SOURCE...'"),
        (
            ["j", "--identity", "id"],
            "'id' is no identity of records: write key, value, header:NAME",
        ),
        (["j", "--identity", "column:"], "'column:' is no identity of records"),
        (["j", "--identity", "column:id"], "--found TABLE and --identity column:NAME belong"),
        (["j", "--found", "t", "--identity", "key"], "--found TABLE and --identity column:NAME"),
        (["j", "k", "--found", "t", "--identity", "column:id"], "the records of one source"),
        (["j", "--ids", "--identity", "key"], "--ids is an identity: leave it or --identity out"),
        (["j", "--ledger", "l", "--identity", "key"], "--ledger compares the ids in header:mock"),
        (["j", "--out", "x", "--fail-on", "TRACE"], "'TRACE' is not one of"),
        (["j", "--out", "/dev/null/x"], "Not a directory"),
        (["kafka://a:1/t", "--command-config", "gone"], "gone: it cannot be read: No such file"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], said: str) -> None:
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert said in answer.output


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
commands(["audit", "journal", "--engine", "spark"], prog_name="pipeline")
"""


def test_without_pyspark_the_error_names_what_to_install_in_one_line() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SPARK],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == f"mockbroker: pyspark is not installed: {install_hint('spark')}\n"

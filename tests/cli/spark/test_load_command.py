"""The command `load`: arguments that are refused before Spark starts."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mockbroker import Cluster
from mockbroker.cli import EXIT_UNREACHABLE, EXIT_USAGE
from mockbroker.cli.commands import commands
from mockbroker.spark.load.load_plan import PLANS

pytestmark = pytest.mark.slow


def load(*words: str, bootstrap: str = "127.0.0.1:1", out: Path = Path("out")) -> Result:
    """Run the command where no admin API is named."""
    usual = ("--bootstrap", bootstrap, "--out", str(out))
    given = words if "--topic" in words else (*words, "--topic", "orders")
    return CliRunner(env={"MOCKBROKER_ADMIN": ""}).invoke(commands, ["load", *usual, *given])


def test_help_lists_every_plan() -> None:
    text = load("--help").output
    assert all(name in text for name in PLANS)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--plan", "nonsense"), "there is no plan 'nonsense'; the plans are clean, "),
        (("--plan", "aborts", "--plain"), "is for transactional producers, not for plain ones"),
        (("--plan", "truncation", "--transactional"), "is for idempotent or plain producers"),
        (("--plan", "leader-moves"), "name mockbroker's admin API with --admin"),
        (("--client", "spark", "--transactional"), "Spark's Kafka sink has no transactions"),
        (
            ("--client", "spark", "--plan", "first-write-lost", "--admin", "http://127.0.0.1:1"),
            "does not report when a record is stored",
        ),
        (("--client", "sarama"), "'sarama' is not one of confluent, kafka-python, spark"),
        (("--topic", "orders:0"), "not written as TOPIC or TOPIC:PARTITIONS"),
        (("--topic", ":3"), "not written as TOPIC or TOPIC:PARTITIONS"),
        (("--tasks", "0"), "--tasks"),
    ],
)
def test_invalid_arguments_are_refused_with_the_reason(words: tuple[str, ...], why: str) -> None:
    found = load(*words)
    assert found.exit_code == EXIT_USAGE
    assert why in found.output


def test_an_unreachable_cluster_is_named(tmp_path: Path) -> None:
    found = load(out=tmp_path / "out")
    assert found.exit_code == EXIT_UNREACHABLE
    assert "no broker answers at 127.0.0.1:1" in found.output
    assert not (tmp_path / "out").exists()


def test_a_topic_with_other_partitions_is_refused(tmp_path: Path) -> None:
    with Cluster(topics={"orders": 3}) as cluster:
        found = load("--topic", "orders:2", bootstrap=cluster.bootstrap_servers, out=tmp_path / "o")
    assert found.exit_code == EXIT_USAGE
    assert "topic orders already exists, with 3 partitions instead of 2" in found.output


def test_the_seed_is_printed_even_if_the_load_fails() -> None:
    found = load("--seed", "4711")
    assert "mockbroker: seed 4711" in found.output

"""Choice of the engine of an audit."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from mockbroker import Cluster
from mockbroker.cli.audit import audit_engine
from mockbroker.cli.audit.audit_engine import chosen_engine
from mockbroker.cli.command_answer import CommandError
from mockbroker.spark.auditing.audit_request import AuditRequest
from tests.support.written_topics import write


@pytest.fixture(autouse=True)
def _not_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)


def test_a_journal_is_judged_in_this_process() -> None:
    assert chosen_engine("auto", AuditRequest(sources=["out/journal"])) == "process"
    assert chosen_engine("process", AuditRequest(sources=["out/journal"])) == "process"
    assert chosen_engine("spark", AuditRequest(sources=["out/journal"])) == "spark"


@pytest.mark.parametrize(
    ("request_", "master", "named"),
    [
        (AuditRequest(sources=["s3a://bucket/journal"]), None, "s3a://bucket/journal"),
        (AuditRequest(sources=["j"], ledger="l"), None, "--ledger"),
        (AuditRequest(sources=["j"]), "yarn", "--master"),
    ],
)
def test_what_only_spark_can_do_is_given_to_it(
    request_: AuditRequest, master: str | None, named: str
) -> None:
    assert chosen_engine("auto", request_, master) == "spark"
    with pytest.raises(CommandError, match=f"--engine process: {named} needs --engine spark"):
        chosen_engine("process", request_, master)


def test_topics_are_judged_in_this_process_unless_they_are_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        write(cluster, "orders", 4, 2)
        wanted = AuditRequest(sources=[f"kafka://{cluster.bootstrap_servers}/orders"])
        assert chosen_engine("process", wanted) == "process"
        assert chosen_engine("auto", wanted) == "process"
        monkeypatch.setattr(audit_engine, "OFFSETS_MAX", 5)
        assert chosen_engine("auto", wanted) == "spark"
    assert chosen_engine("auto", AuditRequest(sources=["kafka://127.0.0.1:1/orders"])) == "process"
    assert chosen_engine("auto", AuditRequest(sources=["kafka://127.0.0.1"])) == "process"


def test_a_submitted_process_uses_the_spark_that_it_was_submitted_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert chosen_engine("auto", AuditRequest(sources=["j"])) == "spark"
    assert chosen_engine("process", AuditRequest(sources=["j"])) == "process"


def test_a_large_journal_is_given_to_spark_where_that_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        (tmp_path / f"part-0000{number}.jsonl").write_bytes(b"x" * 60)
    wanted = AuditRequest(sources=[str(tmp_path)])
    assert chosen_engine("auto", wanted) == "process"
    monkeypatch.setattr(audit_engine, "BYTES_MAX", {".jsonl": 100})
    for spec, engine in ((object(), "spark"), (None, "process")):
        monkeypatch.setattr(audit_engine, "find_spec", Mock(return_value=spec))
        assert chosen_engine("auto", wanted) == engine

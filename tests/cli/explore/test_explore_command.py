"""`mockbroker explore -- CMD`: the command runs again and again, and what breaks it is told."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.process import run

pytestmark = pytest.mark.slow

SENDS = """
import os, sys
from mockbroker.wire import WireProducer
with WireProducer(os.environ["KAFKA_BOOTSTRAP_SERVERS"]) as producer:
    producer.init_producer_id()
    sys.exit(3 if producer.produce("orders", b"order-1", base_sequence=0).error else 0)
"""
ERROR = "Produce *: it is answered with KAFKA_STORAGE_ERROR"


def explore(*options: str, program: str = SENDS) -> tuple[int, str, str]:
    words = ("-t", "orders:1", "--repeats", "0", *options, "--", sys.executable, "-c", program)
    done = run("explore", *words)
    return done.returncode, done.stdout, done.stderr


def test_a_failure_is_told_and_written(tmp_path: Path) -> None:
    found = tmp_path / "found"
    code, told, _errors = explore("--only", ERROR, "-o", str(found))
    assert code == 1
    assert "1 experiments: 1 stopped" in told
    assert "exit code 3" in told
    assert f"wrote {found / 'failure-1.json'}" in told
    code, _told, errors = explore("--only", ERROR, "-o", str(found))
    assert code == 2
    assert f"{found} holds something already" in errors
    done = (found / "experiments.jsonl").read_text("utf-8")
    code, again, _errors = explore("--only", ERROR, "-o", str(found), "--resume", "-j", "2")
    assert (code, again) == (1, told)
    assert (found / "experiments.jsonl").read_text("utf-8") == done


def test_what_goes_on_has_a_folder() -> None:
    code, _told, errors = explore("--only", ERROR, "--resume")
    assert code == 2
    assert "--resume needs the folder" in errors


def test_a_failure_may_be_tolerated() -> None:
    code, told, _errors = explore("--only", ERROR, "--tolerate", "exit code 3*", "--json")
    assert code == 0
    (outcome,) = json.loads(told)["outcomes"]
    assert (outcome["outcome"], outcome["api"]) == ("tolerated", "Produce")

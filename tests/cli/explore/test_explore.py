"""Explorations of commands that cannot begin are refused with the reason."""

import sys

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


def explore(*options: str, program: str = SENDS) -> tuple[int, str, str]:
    words = ("-t", "orders:1", "--repeats", "0", *options, "--", sys.executable, "-c", program)
    done = run("explore", *words)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("options", "program", "why"),
    [
        ([], "raise SystemExit(7)", "it fails without a fault: exit code 7"),
        (["--budget", "soon"], SENDS, "'soon' is not a duration"),
        (["--assert", "exactly-onec"], SENDS, "did you mean 'exactly-once'?"),
        (["--kafka", "0.1"], SENDS, "0.1"),
    ],
)
def test_what_cannot_be_explored_is_refused(options: list[str], program: str, why: str) -> None:
    code, told, errors = explore(*options, program=program)
    assert (code, told) == (2, "")
    assert why in errors


def test_a_missing_command_is_refused() -> None:
    done = run("explore", "--", "no-such-command")
    assert done.returncode == 2
    assert "cannot run no-such-command" in done.stderr

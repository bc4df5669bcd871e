"""Explorations of commands that cannot begin are refused with the reason."""

import json
import shlex
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
REPEATS = """
import os
from confluent_kafka import Producer
servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
producer = Producer({"bootstrap.servers": servers, "enable.idempotence": False, "log_level": 2})
producer.produce("orders", b"order-1")
raise SystemExit(producer.flush(10))
"""
COUNTS = """
import os
from confluent_kafka import Consumer, TopicPartition
servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
consumer = Consumer({"bootstrap.servers": servers, "group.id": "counting"})
print(consumer.get_watermark_offsets(TopicPartition("orders", 0))[1], "orders")
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


def test_the_output_of_a_command_is_compared() -> None:
    counting = ["--same-output", shlex.join([sys.executable, "-c", COUNTS])]
    lost = ["--only", "Produce 1*: the answer is lost", "--assert", "no-hanging-transactions"]
    code, told, _errors = explore(*lost, *counting, "--json", program=REPEATS)
    (outcome,) = json.loads(told)["outcomes"]
    assert (code, outcome["outcome"]) == (1, "broken")
    assert outcome["reasons"][0].endswith("line 1 is '2 orders', and without faults '1 orders'")


def test_an_output_that_cannot_be_had_is_told() -> None:
    code, told, errors = explore("--same-output", f"{sys.executable} -c 'raise SystemExit(5)'")
    assert (code, told) == (2, "")
    assert "exit code 5" in errors
    code, _told, errors = explore("--same-output", "")
    assert code == 2
    assert "--same-output" in errors


def test_a_missing_command_is_refused() -> None:
    done = run("explore", "--", "no-such-command")
    assert done.returncode == 2
    assert "cannot run no-such-command" in done.stderr

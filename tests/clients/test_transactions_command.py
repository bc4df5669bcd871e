"""The class behind kafka-transactions.sh, unmodified, and kafka-python's command of that name.

Both describe a hanging transaction and abort it; the first also finds it.
"""

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.clients.support.command_line_tools import Tools
from tests.clients.support.hanging_transaction import HangingTransaction, hang
from tests.clients.support.programs import output_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def tables(
    tools: Tools, bootstrap_servers: str, *commands: Sequence[str]
) -> list[list[dict[str, str]]]:
    """Run the commands and return what each prints: rows, by the column's heading."""
    servers = ("--bootstrap-server", bootstrap_servers)
    return [
        by_headings(tools.output_of("kafka-transactions", *servers, *words)) for words in commands
    ]


def by_headings(table: str) -> list[dict[str, str]]:
    if not table:
        return []  # nothing printed
    headings, *lines = [
        [cell.strip() for cell in line.removesuffix("\t").split("\t")]
        for line in table.splitlines()
    ]
    return [dict(zip(headings, line, strict=True)) for line in lines]


def kafka_python(bootstrap_servers: str, *words: str) -> Any:
    command = [sys.executable, "-m", "kafka.admin", "--format", "json", "--log-level", "CRITICAL"]
    servers = ["--bootstrap-servers", bootstrap_servers.split(",", maxsplit=1)[0]]
    return json.loads(output_of([*command, *servers, "transactions", *words]))


@pytest.fixture
def unverified(brokers_of: Callable[[str], str]) -> str:
    """Brokers of the newest release that append whatever a producer says is of its transaction."""
    return brokers_of("4.4-unverified")


@pytest.fixture
def old_brokers(brokers_of: Callable[[str], str]) -> str:
    """Brokers that know of no verification."""
    return brokers_of("2.8")


@pytest.mark.java
def test_a_hanging_transaction_is_described_found_and_aborted(
    tools: Tools, unverified: str, topic: str
) -> None:
    hanging = hang(unverified, topic)
    where = ["--topic", topic, "--partition", "0"]
    find = ["find-hanging", "--max-transaction-timeout", "15", "--topic", topic]
    listed, described, producers, found, aborted, found_later = tables(
        tools,
        unverified,
        ["list"],
        ["describe", "--transactional-id", hanging.transactional_id],
        ["describe-producers", *where],
        find,
        ["abort", *where, "--start-offset", str(hanging.start_offset)],
        find,
    )
    mine = [row for row in listed if row["TransactionalId"] == hanging.transactional_id]
    assert [row["ProducerId"] for row in mine] == [str(hanging.producer_id)]
    assert [row["TransactionState"] for row in mine] == ["CompleteAbort"]
    assert [row["Coordinator"] for row in mine] == [row["CoordinatorId"] for row in described]
    assert [
        (row["ProducerEpoch"], row["TransactionState"], row["TransactionTimeoutMs"])
        for row in described
    ] == [(str(hanging.producer_epoch), "CompleteAbort", "60000")]
    assert producers == [producer_row(hanging)]
    assert [(row["Topic"], row["StartOffset"]) for row in found] == [(topic, "2")]
    assert [row["Duration(min)"] for row in found] == ["120"]
    assert aborted == found_later == []
    assert hanging.last_stable_offset(unverified) == 4


@pytest.mark.java
def test_brokers_of_2_8_describe_the_producers_of_a_hanging_transaction_and_abort_it(
    tools: Tools, old_brokers: str, topic: str
) -> None:
    hanging = hang(old_brokers, topic)
    where = ["--topic", topic, "--partition", "0"]
    producers, aborted, producers_later = tables(
        tools,
        old_brokers,
        ["describe-producers", *where],
        ["abort", *where, "--start-offset", str(hanging.start_offset)],
        ["describe-producers", *where],
    )
    assert producers == [producer_row(hanging)]
    assert aborted == []
    assert [row["CurrentTransactionStartOffset"] for row in producers_later] == ["None"]
    assert hanging.last_stable_offset(old_brokers) == 4


def producer_row(hanging: HangingTransaction) -> dict[str, str]:
    return {
        "ProducerId": str(hanging.producer_id),
        "ProducerEpoch": str(hanging.producer_epoch),
        "LatestCoordinatorEpoch": "0",
        "LastSequence": "1",
        "LastTimestamp": str(hanging.timestamp_ms),
        "CurrentTransactionStartOffset": str(hanging.start_offset),
    }


def test_kafka_python_describes_and_aborts_a_hanging_transaction(
    unverified: str, topic: str
) -> None:
    hanging = hang(unverified, topic)
    listed = kafka_python(unverified, "list")
    mine = [
        (row["producer_id"], row["state"])
        for of_broker in listed.values()
        for row in of_broker
        if row["transactional_id"] == hanging.transactional_id
    ]
    assert mine == [(hanging.producer_id, "CompleteAbort")]
    described = kafka_python(
        unverified, "describe", "--transactional-id", hanging.transactional_id
    )[hanging.transactional_id]
    assert described["state"] == "CompleteAbort"
    assert described["producer_epoch"] == hanging.producer_epoch
    partitions = kafka_python(unverified, "describe-producers", "-t", topic, "-p", "0")
    assert partitions[f"{topic}:0"]["active_producers"] == [
        {
            "producer_id": hanging.producer_id,
            "producer_epoch": hanging.producer_epoch,
            "last_sequence": 1,
            "last_timestamp": hanging.timestamp_ms,
            "coordinator_epoch": 0,
            "current_transaction_start_offset": hanging.start_offset,
        }
    ]
    # it looks among what coordinators hold to be open, so a transaction that is over is not found
    assert kafka_python(unverified, "find-hanging") == []
    kafka_python(
        unverified,
        *("abort", "-t", topic, "-p", "0"),
        *("--producer-id", str(hanging.producer_id)),
        *("--producer-epoch", str(hanging.producer_epoch)),
        *("--coordinator-epoch", "0"),  # by default -1, which is behind that of the first marker
    )
    assert hanging.last_stable_offset(unverified) == 4

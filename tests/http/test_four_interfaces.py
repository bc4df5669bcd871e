"""The same rules in Python, in pytest, on the command line and over HTTP: the same journal."""

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from mockbroker import API, Cluster
from mockbroker.cli.commands import commands
from mockbroker.journal.entry import Entry
from mockbroker.wire import WireProducer
from tests.support.http import Http

RULES: list[dict[str, Any]] = [
    {"id": "a", "match": {"api": "AddPartitionsToTxn"}, "effect": {"answer": "NOT_COORDINATOR"}},
    {
        "id": "b",
        "match": {"api": "EndTxn", "transactional_id": "m*"},
        "trigger": {"on_call": 1},
        "effect": {"delay": "1ms"},
    },
    {"id": "c", "match": {"topic": "orders"}, "effect": {"observe": True}},
    {
        "id": "d",
        "match": {"topic": "orders", "between_brokers": True},
        "effect": {"lose_response": "after_apply"},
    },
]
COMMANDS = (
    ("--id", "a", "--api", "AddPartitionsToTxn", "answer", "NOT_COORDINATOR"),
    (
        "--id",
        "b",
        "--api",
        "EndTxn",
        "--transactional-id",
        "m*",
        "--on-call",
        "1",
        "delay",
        "1ms",
    ),
    ("--id", "c", "--topic", "orders", "observe"),
    ("--id", "d", "--topic", "orders", "--between-brokers", "lose-response"),
)


def by_python(cluster: Cluster) -> None:
    cluster.fault(API.ADD_PARTITIONS_TO_TXN, name="a").answer("NOT_COORDINATOR")
    cluster.fault(API.END_TXN, transactional_id="m*", name="b").delay("1ms").on_call(1)
    cluster.fault(topic="orders", name="c").observe()
    cluster.fault(topic="orders", between_brokers=True, name="d").lose_response()


def by_http(cluster: Cluster) -> None:
    for rule in RULES:
        Http(cluster).post("/faults", rule)


def by_command_line(cluster: Cluster) -> None:
    for words in COMMANDS:
        said = ("faults", "add", *words, "--admin", cluster.admin_url)
        assert CliRunner().invoke(commands, said).exit_code == 0


def journal_of(cluster: Cluster, make_rules: Callable[[Cluster], None]) -> list[Entry]:
    """Give the journal of a conversation under rules, without port, times, and their checksums."""
    make_rules(cluster)
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.add_partition("orders")
        for _ in range(2):  # the answer about the first one is lost
            producer.produce("orders", b"value", base_sequence=0)
        producer.commit()
        cluster.look(lambda _state, _now_ms: None)  # what follows an answer is done by now
        entries = cluster.journal.entries()
    port = cluster.bootstrap_servers.rpartition(":")[2]
    return [
        entry._replace(
            wall_time_us=0,
            virtual_time_ms=0,
            crc=None if entry.crc is None else 0,
            detail=None if entry.detail is None else entry.detail.replace(port, "PORT"),
        )
        for entry in entries
    ]


def test_the_same_faults_through_every_interface_give_the_same_journal(
    make_mockbroker: Callable[..., Cluster],
) -> None:
    in_pytest = journal_of(make_mockbroker(topics={"orders": 1}), by_python)
    others: list[list[Entry]] = []
    for make_rules in (by_python, by_http, by_command_line):
        with Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster:
            others.append(journal_of(cluster, make_rules))
    assert others == [in_pytest] * 3
    struck = [entry.rule for entry in in_pytest if entry.kind == "fault_struck"]
    assert set(struck) == {"a", "b", "c", "d"}


def test_another_fault_gives_another_journal() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        without = journal_of(cluster, lambda _cluster: None)
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        assert journal_of(cluster, by_python) != without


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["id"]))
def test_every_interface_shows_the_fault_as_it_was_given(rule: dict[str, Any]) -> None:
    with Cluster(admin_port=0) as cluster:
        for make_rules in (by_python, by_http, by_command_line):
            cluster.reset()
            make_rules(cluster)
            shown = Http(cluster).get(f"/faults/{rule['id']}")
            assert (shown["match"], shown["effect"]) == (rule["match"], rule["effect"])

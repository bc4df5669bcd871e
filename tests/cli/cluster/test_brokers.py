"""`mockbroker broker` and `mockbroker elect`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_brokers_are_listed(unchanged: AdminCli) -> None:
    _titles, first, second = (line.split() for line in unchanged.text("broker").splitlines())
    assert first[:4] == ["1", "<address>", "running", "1"]
    assert "controller" in first
    assert second[:4] == ["2", "<address>", "running", "1"]
    assert [each["id"] for each in unchanged.document("broker", "list")["brokers"]] == [1, 2]


def test_a_broker_is_killed_and_started_again(cli: AdminCli) -> None:
    _titles, first, second = cli.text("broker", "kill", "2").splitlines()
    assert first.split()[2:4] == ["running", "2"]
    assert second.split()[2:] == ["killed", "0"]
    assert "broker 2 is killed" in cli.refusal("broker", "kill", "2")
    started = cli.document("broker", "start", "2")["brokers"]
    assert [each["state"] for each in started] == ["running", "running"]
    assert "there is no broker 9" in cli.refusal("broker", "start", "9")


def test_a_broker_is_cut_off_and_taken_back(cli: AdminCli) -> None:
    isolated = cli.document("broker", "isolate", "2")["brokers"]
    assert [each["state"] for each in isolated] == ["running", "isolated"]
    assert "isolated" in cli.refusal("broker", "isolate", "2")
    assert "isolated" not in cli.text("broker", "rejoin", "2")


def test_a_crash_loses_unflushed_records(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"kept", base_sequence=0)
        assert cli.text("broker", "flush") == "all logs are flushed to disk\n"
        producer.produce("orders", b"lost", base_sequence=1)
    crashed = cli.document("broker", "crash")["brokers"]
    assert [each["state"] for each in crashed] == ["running", "running"]
    assert cli.document("log", "orders:0")["partitions"][0]["log_end_offset"] == 1
    assert "9" in cli.refusal("broker", "crash", "9")


def test_a_leader_is_elected(cli: AdminCli) -> None:
    assert cli.text("elect", "orders:0") == "broker 2 leads orders:0\n"
    assert cli.document("elect", "orders:0", "--to", "1", "--producer-state", "none") == {
        "leader": 1
    }


def test_a_leader_may_be_elected_with_a_shorter_log(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
    cli.text("elect", "orders:0", "--log", "truncate", "--log-end-offset", "0")
    shown = cli.document("log", "orders:0")["partitions"][0]
    assert (shown["high_watermark"], shown["log_end_offset"]) == (0, 0)


def test_a_coordinator_moves(cli: AdminCli) -> None:
    with cli.producer():
        (before,) = cli.document("txns")["transactions"]
        moved = cli.document("elect", "--transactional-id", "orders-svc")["broker"]
    assert {before["coordinator"], moved} == {1, 2}
    assert cli.text("elect", "--transactional-id", "orders-svc", "--to", "1") == (
        "broker 1 coordinates orders-svc\n"
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "name one of TOPIC:PARTITION, --transactional-id and --group"),
        (["orders:0", "--group", "g"], "name one of TOPIC:PARTITION, --transactional-id and"),
        (["orders"], "'orders' is not written as TOPIC:PARTITION"),
        (
            ["--group", "g", "--producer-state", "none"],
            "--producer-state goes with TOPIC:PARTITION",
        ),
        (["orders:0", "--to", "9"], "9"),
        (["orders:0", "--producer-state", "some"], "some"),
        (["order:0"], "did you mean orders?"),
    ],
)
def test_an_impossible_election_is_refused(unchanged: AdminCli, words: list[str], why: str) -> None:
    assert why in unchanged.refusal("elect", *words)


def test_a_broker_stops_lags_and_starts(cli: AdminCli) -> None:
    assert cli.document("broker", "lag", "2")["brokers"][1]["state"] == "running"
    assert cli.document("broker", "catch-up", "2")["brokers"][1]["state"] == "running"
    assert cli.document("broker", "stop", "2")["brokers"][1]["state"] == "stopped"
    started = cli.document("broker", "start", "2", "--producer-snapshot", "stale")
    assert started["brokers"][1]["state"] == "running"

"""`mockbroker txns` and `mockbroker producers`."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_transactional_ids_are_listed_and_shown(cli: AdminCli) -> None:
    assert cli.text("txns") == "no transactional ids\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
    shown = (
        "TRANSACTIONAL ID  STATE    PRODUCER  EPOCH  COORDINATOR  SINCE   PARTITIONS\n"
        "orders-svc        Ongoing         0      0            1  <time>  orders:0\n"
    )
    listed = cli.text("txns").replace(" " * 19 + "PARTITIONS", "  PARTITIONS")
    assert [line.split() for line in listed.splitlines()] == [
        line.split() for line in shown.splitlines()
    ]
    assert cli.text("txns", "list") == cli.text("txns", "show", "orders-svc")
    (found,) = cli.document("txns")["transactions"]
    assert found["state"] == "Ongoing"


def test_an_unknown_id_is_refused_with_a_similar_one(cli: AdminCli) -> None:
    with cli.producer():
        assert cli.refusal("txns", "show", "order-svc") == (
            "there is no transactional id 'order-svc'; did you mean orders-svc?"
        )


def test_without_hanging_transactions_the_command_succeeds(unchanged: AdminCli) -> None:
    assert unchanged.text("txns", "hanging") == "no hanging transactions\n"
    assert unchanged.document("txns", "hanging") == {"hanging": []}


def test_a_hanging_transaction_is_found() -> None:
    from tests.support.process import served

    options = ("--json", "--admin-port", "0", "--kafka", "2.8", "-t", "orders:1")
    with served(*options) as server:
        cli = AdminCli(server)
        with cli.producer() as producer:
            producer.produce("orders", b"late", base_sequence=0)
        titles, row = cli.text("txns", "hanging", code=1).splitlines()
        assert titles.split("  ")[0] == "HANGING IN"
        assert row.split() == ["orders:0", "0", "0", "0"]


def test_an_ending_is_held_and_done_step_by_step(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        assert "is held" in cli.text("txns", "hold-ending", "orders-svc")
        producer.commit()
        assert cli.document("txns", "show", "orders-svc")["state"] == "PrepareCommit"
        assert cli.text("txns", "step", "orders-svc") == "WriteTxnMarkers orders-svc orders-0\n"
        assert cli.document("txns", "step", "orders-svc")["done"] is not None
        assert cli.document("txns", "show", "orders-svc")["state"] == "CompleteCommit"
        assert cli.text("txns", "release", "orders-svc") == "nothing of orders-svc is held\n"


def test_a_transaction_is_aborted_and_its_id_forgotten(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        aborted = cli.document("txns", "abort", "orders-svc")
        assert aborted["state"] in {"PrepareAbort", "CompleteAbort"}
        assert cli.text("txns", "expire", "orders-svc") == "orders-svc is expired\n"
        assert cli.text("txns") == "no transactional ids\n"
        assert "orders-svc" in cli.refusal("txns", "abort", "orders-svc")


def test_producers_are_listed_by_partition(cli: AdminCli) -> None:
    assert cli.text("producers") == "no producers\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
    titles, row = cli.text("producers", "orders:0").splitlines()
    assert titles.split("  ")[0] == "PARTITION"
    assert row.split() == ["orders:0", "0", "0", "0", "0", "<time>", "0"]
    assert cli.text("producers", "orders:1") == "no producers\n"
    (found,) = cli.document("producers", "orders")["producers"]
    assert (found["topic"], found["partition"], found["last_sequence"]) == ("orders", 0, 0)


def test_a_missing_topic_is_refused(unchanged: AdminCli) -> None:
    assert "'order'" in unchanged.refusal("producers", "order")


def test_a_name_with_control_characters_has_no_effect_on_a_terminal(cli: AdminCli) -> None:
    with cli.producer("a\x1b[2J\x9bb") as producer:
        producer.add_partition("orders")
    assert "a\\u001b[2J\\u009bb " in cli.text("txns")
    assert "\x9b" not in cli.run("txns", "--json").stdout
    (found,) = cli.document("txns")["transactions"]
    assert found["transactional_id"] == "a\x1b[2J\x9bb"


def test_markers_are_delayed_and_no_longer_delayed(cli: AdminCli) -> None:
    said = cli.text("txns", "delay-markers", "1d", "--probability", "1")
    assert said == "markers are delayed by 1d, probability 1\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
        assert producer.commit() is ErrorCode.NONE
        assert cli.document("txns", "show", "orders-svc")["state"] == "PrepareCommit"
        cli.text("clock", "advance", "1d")
        assert cli.document("txns", "show", "orders-svc")["state"] == "CompleteCommit"
        cli.text("txns", "delay-markers", "0ms")
        producer.add_partition("orders")
        producer.commit()
        assert cli.document("txns", "show", "orders-svc")["state"] == "CompleteCommit"

"""`mockbroker ledger`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_assertions_work_at_the_first_try(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        producer.commit()
    assert cli.text("assert", "exactly-once") == "exactly-once: holds\n"
    assert cli.text("ledger") == "the ledger is on: 1 of 20000 rows are used\n"
    assert cli.text("ledger", "on", "--rows", "2").splitlines() == [
        "rows of the ledger before, now deleted: 1",
        "the ledger is on: 0 of 2 rows are used",
    ]


def test_an_assertion_about_what_was_sent_says_that_nothing_was(cli: AdminCli) -> None:
    shown = cli.text("assert", "exactly-once", "no-open-transactions")
    assert shown.splitlines() == [
        "exactly-once: holds, but nothing was judged: no producer has sent a record",
        "no-open-transactions: holds",
    ]


def test_the_ledger_is_turned_off_and_on(cli: AdminCli) -> None:
    off = "the ledger is off; `mockbroker ledger on` starts one\n"
    assert cli.text("ledger", "off") == off
    assert cli.refusal("assert", "no-loss") == "the ledger is off: use `mockbroker ledger on`"
    assert cli.text("ledger", "on", "--rows", "1") == "the ledger is on: 0 of 1 rows are used\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
        for number in range(3):
            producer.produce("orders", b"one", base_sequence=number)
    assert "it is full" in cli.text("ledger", "show")
    assert "--ledger-rows" in cli.text("assert", "no-loss", code=1)
    assert cli.document("ledger", "on")["rows_max"] == 1_000_000

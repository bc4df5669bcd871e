"""`mockbroker txns`."""

import pytest

from tests.service.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_transactional_ids_are_listed_and_shown(cli: AdminCli) -> None:
    assert cli.text("txns") == "no transactional id is known\n"
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


def test_an_id_that_is_not_there_is_refused_with_the_nearest(cli: AdminCli) -> None:
    with cli.producer():
        assert cli.refusal("txns", "show", "order-svc") == (
            "there is no transactional id 'order-svc'; did you mean orders-svc?"
        )


def test_what_hangs_is_an_exit_code(unchanged: AdminCli) -> None:
    assert unchanged.text("txns", "hanging") == "nothing hangs\n"
    assert unchanged.document("txns", "hanging") == {"hanging": []}


def test_a_hanging_transaction_is_found() -> None:
    from tests.service.support.process import served

    options = ("--json", "--admin-port", "0", "--kafka", "2.8", "-t", "orders:1")
    with served(*options) as server:
        cli = AdminCli(server)
        with cli.producer() as producer:
            producer.produce("orders", b"late", base_sequence=0)
        titles, row = cli.text("txns", "hanging", code=1).splitlines()
        assert titles.split("  ")[0] == "HANGING IN"
        assert row.split() == ["orders:0", "0", "0", "0"]

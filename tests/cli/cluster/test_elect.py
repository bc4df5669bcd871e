"""`mockbroker elect`: leaders and coordinators."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_a_leader_is_elected(cli: AdminCli) -> None:
    assert cli.text("elect", "orders:0") == "broker 2 leads orders:0\n"
    assert cli.document("elect", "orders:0", "--to", "1", "--producer-state", "none") == {
        "leader": 1
    }


def test_a_leader_may_have_less_of_the_log(cli: AdminCli) -> None:
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
def test_what_cannot_be_elected_is_refused(unchanged: AdminCli, words: list[str], why: str) -> None:
    assert why in unchanged.refusal("elect", *words)

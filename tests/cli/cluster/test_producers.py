"""`mockbroker producers`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_producers_are_listed_by_partition(cli: AdminCli) -> None:
    assert cli.text("producers") == "no producer is known\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
    titles, row = cli.text("producers", "orders:0").splitlines()
    assert titles.split("  ")[0] == "PARTITION"
    assert row.split() == ["orders:0", "0", "0", "0", "0", "<time>", "0"]
    assert cli.text("producers", "orders:1") == "no producer is known\n"
    (found,) = cli.document("producers", "orders")["producers"]
    assert (found["topic"], found["partition"], found["last_sequence"]) == ("orders", 0, 0)


def test_a_topic_that_is_not_there_is_refused(unchanged: AdminCli) -> None:
    assert "'order'" in unchanged.refusal("producers", "order")

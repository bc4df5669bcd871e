"""`mockbroker replica`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_replicas_are_shown_and_differ(cli: AdminCli) -> None:
    cli.text("elect", "orders:0", "--to", "1")
    with cli.producer() as producer:
        producer.add_partition("orders")
        for number in range(2):
            producer.produce("orders", b"x", base_sequence=number)
        producer.commit()
        _titles, *rows = cli.text("replica", "list", "orders:0").splitlines()
        assert [row.split()[:7] for row in rows] == [
            [broker, "yes", "yes", "0", "3", "3", "3"] for broker in ("1", "2")
        ]
        assert f"{producer.producer_id}: 1" in rows[0]
    assert cli.document("replica", "hold-offsets", "orders:0", "2")["fetches"] is True
    assert cli.document("replica", "release-offsets", "orders:0", "2")["high_watermark"] == 3
    moved = cli.document("replica", "move-log-start", "orders:0", "2", "1")
    assert moved["log_start_offset"] == 1
    reloaded = cli.document("replica", "reload-producers", "orders:0", "2", "--snapshot", "none")
    assert reloaded["producers"] == []
    forgotten = cli.text("replica", "forget-producer", "orders:0", "2", "7")
    assert forgotten.strip() == "broker 2 did not know producer 7 in orders:0"
    known = cli.text("replica", "forget-producer", "orders:0", "1", str(producer.producer_id))
    assert known.startswith("broker 1 forgot producer")

"""`mockbroker log`: batches, records and timelines of a partition."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow

BATCHES = """\
orders:0  start 0, last stable 2, high watermark 3, end 3
OFFSETS  RECORDS  BYTES  PRODUCER  EPOCH  SEQUENCES  KIND
0              1     71         0      0  0          transactional
1              1     78         0      0             COMMIT marker
2              1     71         0      0  1          transactional
"""
EMPTY = "orders:1  start 0, last stable 0, high watermark 0, end 0\n"


def filled(cli: AdminCli) -> AdminCli:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        producer.commit()
        # The epoch stays: a client of before transaction.version 2.
        producer.add_partition("orders")
        producer.produce("orders", b"two", base_sequence=1)
    return cli


def test_batches_and_markers_are_shown(cli: AdminCli) -> None:
    filled(cli)
    assert cli.text("log", "orders:0") == BATCHES
    assert cli.text("log", "orders") == f"{BATCHES}\n{EMPTY}"
    shown = cli.document("log", "orders")["partitions"]
    assert [each["partition"] for each in shown] == [0, 1]
    assert [each["marker"] for each in shown[0]["batches"]] == [None, "commit", None]


def test_a_part_of_a_log_names_the_offset_of_the_rest(cli: AdminCli) -> None:
    lines = filled(cli).text("log", "orders:0", "--from", "1", "--limit", "1").splitlines()
    assert lines[2].startswith("1 ")
    assert lines[3:] == ["more: --from 2"]


def test_records_are_those_of_a_reader(cli: AdminCli) -> None:
    filled(cli)
    rows = [line.split() for line in cli.text("log", "orders:0", "--records").splitlines()]
    assert rows == [
        ["orders:0"],
        ["OFFSET", "TIME", "KEY", "VALUE"],
        ["0", "<time>", "-", "'one'"],
        ["2", "<time>", "-", "'two'"],
    ]
    committed = cli.document("log", "orders:0", "--isolation", "read_committed")
    assert [each["offset"] for each in committed["partitions"][0]["records"]] == [0]


def test_timelines_are_drawn(cli: AdminCli) -> None:
    drawn = filled(cli).text("log", "orders:0", "--lanes")
    assert drawn.startswith("orders-0")
    assert cli.document("log", "orders:0", "--lanes") == {"text": drawn.rstrip("\n")}


def test_bytes_that_are_no_text_are_base64(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"\xff\0", base_sequence=0)
    assert cli.text("log", "orders:0", "--records").endswith("base64:/wA=\n")


def test_unknown_topics_and_partitions_are_refused(unchanged: AdminCli) -> None:
    assert "did you mean orders?" in unchanged.refusal("log", "order")
    assert "orders" in unchanged.refusal("log", "orders:7")
    assert "TOPIC or TOPIC:PARTITION" in unchanged.refusal("log", "orders:x")

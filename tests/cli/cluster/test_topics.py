"""`mockbroker topic` and `mockbroker partition`."""

import pytest

from tests.support.admin_cli import AdminCli
from tests.support.process import served

pytestmark = pytest.mark.slow


def test_partitions_are_listed(unchanged: AdminCli) -> None:
    _titles, first, second = unchanged.text("partition").splitlines()
    assert (first.split()[0], second.split()[0]) == ("orders:0", "orders:1")
    (topic,) = unchanged.document("partition", "list")["topics"]
    assert topic["name"] == "orders"


def test_replicas_lag_leave_and_catch_up(cli: AdminCli) -> None:
    lost = cli.document("partition", "lose-replica", "orders:0", "2")
    assert lost["in_sync_replicas"] == [1]
    _titles, row = cli.text("partition", "catch-up", "orders:0", "2").splitlines()
    assert row.split()[3] == "1,2"
    assert cli.document("partition", "lag", "orders:0", "2")["in_sync_replicas"] == [1, 2]
    assert cli.document("partition", "catch-up", "orders:0")["in_sync_replicas"] == [1, 2]


def test_a_tail_is_lost(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        for number in range(3):
            producer.produce("orders", b"x", base_sequence=number)
    assert cli.document("partition", "lose-tail", "orders:0")["log_end_offset"] == 2
    assert cli.document("partition", "lose-tail", "orders:0", "--records", "2")[
        "log_end_offset"
    ] == 0  # fmt: skip


def test_records_are_deleted_and_producers_forgotten(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        for number in range(3):
            producer.produce("orders", b"x", base_sequence=number)
        producer.commit()
    where, producer_id = "orders:0", str(producer.producer_id)
    assert cli.text("partition", "delete-records", where, "1").strip() == f"{where} starts at 1"
    moved = cli.document("partition", "move-log-start", where, "2")
    assert moved["log_start_offset"] == 2
    assert cli.document("partition", "forget-producer", where, producer_id) == {"was_known": True}
    again = cli.text("partition", "forget-producer", where, producer_id)
    assert again.strip() == f"{where} did not know producer {producer_id}"
    assert cli.document("partition", "delete-records", where) == {"log_start_offset": 4}


def test_only_topics_with_the_policy_compact_are_compacted(cli: AdminCli) -> None:
    assert "not contain compact" in cli.refusal("partition", "compact", "orders:0")
    words = ("--json", "--admin-port", "0", "-t", "prices", "-c", "log.cleanup.policy=compact")
    with served(*words) as server:
        text = AdminCli(server).text("partition", "compact", "prices:0")
    assert text.strip() == "removed 0 records of prices:0"


def test_a_partition_that_does_not_exist_is_refused(unchanged: AdminCli) -> None:
    assert "did you mean orders?" in unchanged.refusal("partition", "lag", "order:0", "1")
    assert "TOPIC:PARTITION" in unchanged.refusal("partition", "lag", "orders", "1")
    assert "9" in unchanged.refusal("partition", "lag", "orders:0", "9")


def test_topics_are_listed(unchanged: AdminCli) -> None:
    titles, row = unchanged.text("topic").splitlines()
    assert titles.split() == ["TOPIC", "ID", "PARTITIONS"]
    assert (row.split()[0], row.split()[-1]) == ("orders", "2")
    (topic,) = unchanged.document("topic", "list")["topics"]
    assert topic["name"] == "orders"


def test_a_topic_is_recreated(cli: AdminCli) -> None:
    (before,) = cli.document("topic")["topics"]
    after = cli.document("topic", "recreate", "orders", "--partitions", "3", "--start-offset", "7")
    assert after["topic_id"] != before["topic_id"]
    assert [each["log_start_offset"] for each in after["partitions"]] == [7, 7, 7]


def test_a_topic_that_cannot_be_recreated_is_refused(unchanged: AdminCli) -> None:
    assert "did you mean orders?" in unchanged.refusal("topic", "recreate", "order")
    assert "too small" in unchanged.refusal("topic", "recreate", "orders", "--partitions", "0")


def test_a_topic_is_created_and_gets_a_record(cli: AdminCli) -> None:
    words = ("--partitions", "3", "--replication-factor", "2", "-c", "retention.ms=1000")
    created = cli.document("topic", "create", "prices", *words)
    assert (created["name"], len(created["partitions"])) == ("prices", 3)
    record = ("--key", "k", "--header", "trace=a=1", "--timestamp-ms", "7")
    assert cli.document("topic", "append", "prices", "x", "--partition", "2", *record) == {
        "topic": "prices",
        "partition": 2,
        "offset": 0,
        "timestamp_ms": 7,
    }
    (stored,) = cli.document("log", "prices:2", "--records")["partitions"][0]["records"]
    assert (stored["key"]["text"], stored["headers"][0]["value"]["text"]) == ("k", "a=1")
    assert cli.text("topic", "append", "prices", "y", "--partition", "2") == (
        "appended at offset 1 of prices:2\n"
    )
    assert len(cli.document("topic", "create", "payments:2")["partitions"]) == 2
    assert "partitions" in cli.refusal("topic", "create", "none", "--partitions", "0")
    assert "is not NAME:PARTITIONS" in cli.refusal("topic", "create", "payments:two")
    assert "Topic 'prices' already exists" in cli.refusal("topic", "create", "prices")
    assert "did you mean retention.ms?" in cli.refusal(
        "topic", "create", "bills", "-c", "retention.m=1"
    )


def test_a_pair_without_a_name_is_refused(unchanged: AdminCli) -> None:
    said = unchanged.refusal("topic", "append", "orders", "x", "--header", "=1")
    assert "'=1' is not written as NAME=VALUE" in said

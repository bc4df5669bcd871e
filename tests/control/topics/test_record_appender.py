"""Partition, timestamp and errors of a record that a test appends."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from mockbroker import ApiError, Cluster

MOMENT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_a_record_with_log_append_time_has_the_brokers_time() -> None:
    config = {"log.message.timestamp.type": "LogAppendTime"}
    with Cluster(topics=["orders"], config=config, clock="manual") as cluster:
        where = cluster.append("orders", "x", timestamp=MOMENT)
        (record,) = cluster.records("orders")
        assert where.timestamp_ms == record.timestamp_ms == cluster.clock.now_ms


def test_records_without_a_key_fill_the_partitions_in_turn() -> None:
    with Cluster(topics={"orders": 3}) as cluster:
        found = [cluster.append("orders", "x").partition for _ in range(4)]
        assert found == [0, 1, 2, 0]
        assert cluster.append("orders", "x", partition=0).offset == 2


def test_a_missing_topic_is_created_as_for_a_client() -> None:
    with Cluster(config={"num.partitions": 2}) as cluster:
        assert cluster.append("orders", "x").topic == "orders"
        assert cluster.partition("orders", 1).leader == 1


@pytest.mark.parametrize(
    ("append", "error"),
    [
        (lambda cluster: cluster.append("nope", "x"), r"UNKNOWN_TOPIC_OR.*create_topic\('nope'\)"),
        (
            lambda cluster: cluster.append("orders", "x", partition=3),
            "UNKNOWN_TOPIC_OR_PARTITION: orders has the partitions 0 to 1, and no 3",
        ),
        (
            lambda cluster: cluster.append("orders", "x" * 2_000_000, partition=0),
            "MESSAGE_TOO_LARGE: .*",
        ),
        (
            lambda cluster: cluster.append("orders", "x", partition=1),
            "LEADER_NOT_AVAILABLE: orders-1 has no leader",
        ),
    ],
)
def test_a_record_that_cannot_be_appended_is_refused(
    append: Callable[[Cluster], object], error: str
) -> None:
    config = {"auto.create.topics.enable": False, "default.replication.factor": 1}
    with Cluster(brokers=2, topics={"orders": 2}, config=config) as cluster:
        cluster.kill(cluster.partition("orders", 1).leader)
        with pytest.raises(ApiError, match=error):
            append(cluster)
        assert cluster.records("orders") == []

"""Committed offsets beyond the ends of logs."""

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition

from mockbroker import Cluster
from mockbroker.spark.topics.commit_evidence import CommitsBeyond, commits_beyond
from mockbroker.wire.cluster import WireCluster
from tests.support.written_topics import write

UNKNOWN = (
    "orders-0: why group 'billing' has committed offset 9, while the log ends at 2: it went"
    " beyond the log, or records were truncated"
)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Run a cluster with two records."""
    with Cluster(topics={"orders": 1, "other": 1}) as cluster:
        write(cluster, "orders", 2)
        yield cluster


def commit(cluster: Cluster, offset: int, leader_epoch: int = -1, topic: str = "orders") -> None:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "billing"})
    committed = TopicPartition(topic, 0, offset, leader_epoch=leader_epoch)
    consumer.commit(offsets=[committed], asynchronous=False)
    consumer.close()


def beyond(cluster: Cluster) -> CommitsBeyond:
    with WireCluster(cluster.bootstrap_servers) as asked:
        return commits_beyond(asked, asked.topic("orders").partitions)


def test_an_offset_beyond_the_log_of_the_only_leader_is_certain(cluster: Cluster) -> None:
    commit(cluster, 9)
    (run,), unknown = beyond(cluster)
    assert (run.kind, run.group, run.place) == ("offset_committed", "billing", ("orders", 0))
    assert (run.base_offset, run.log_end_offset, unknown) == (9, 2, ())


@pytest.mark.parametrize(("leader_epoch", "is_certain"), [(-1, False), (0, False), (1, True)])
def test_after_an_election_it_is_certain_by_the_leader_epoch(
    cluster: Cluster, leader_epoch: int, *, is_certain: bool
) -> None:
    cluster.partition("orders", 0).elect()
    commit(cluster, 9, leader_epoch)
    runs, unknown = beyond(cluster)
    assert bool(runs) == is_certain
    assert unknown == (() if is_certain else (UNKNOWN,))


def test_offsets_within_the_log_and_of_other_topics_are_no_evidence(cluster: Cluster) -> None:
    commit(cluster, 2)
    commit(cluster, 9, topic="other")
    assert beyond(cluster) == CommitsBeyond()

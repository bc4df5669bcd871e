"""Partitions of keys, as Kafka's clients choose them."""

from mockbroker import Cluster
from mockbroker.protocol.records.murmur2 import murmur2


def test_a_key_always_has_the_same_partition() -> None:
    with Cluster(topics={"orders": 5}) as cluster:
        found = [cluster.append("orders", "x", key="21").partition for _ in range(3)]
    assert found == [(murmur2(b"21") & 0x7FFFFFFF) % 5] * 3


def test_an_empty_key_is_a_key() -> None:
    with Cluster(topics={"orders": 5}) as cluster:
        found = {cluster.append("orders", "x", key="").partition for _ in range(3)}
    assert len(found) == 1

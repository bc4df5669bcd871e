"""Clusters: their arguments, topics and records."""

from mockbroker import Cluster, Release


def made_for(kafka: Release) -> Cluster:
    return Cluster(kafka=kafka, topics=["orders"], config={"num.partitions": 3})


def right() -> int:
    with Cluster(brokers=3, kafka="3.9", topics={"orders": 2}, clock="manual") as cluster:
        cluster.create_topic("payments")
        cluster.append("orders", b"first", key=b"a", partition=0)
        return len(cluster.wait_for_records("orders", 1, timeout="10s"))


def wrong() -> None:
    made_for("3.7")  # refused
    Cluster(kafka="3.7")  # refused
    Cluster(kafka=3.9)  # refused
    Cluster(topics=[7])  # refused
    Cluster(clock="fast")  # refused
    Cluster(broker=3)  # refused
    made_for("3.9").append("orders", 7)  # refused

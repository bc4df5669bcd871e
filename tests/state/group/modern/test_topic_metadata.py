from uuid import UUID

from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.replication.broker import Broker
from tests.state.group.consumer.consumer_building import cluster_of, create, id_of


def test_only_topics_that_exist_are_seen() -> None:
    cluster = cluster_of(orders=2)
    topics = TopicMetadata(cluster)
    orders = id_of(cluster, "orders")
    assert topics.ids(["orders", "missing"]) == (orders,)
    assert topics.partition_counts([orders, UUID(int=7)]) == {orders: 2}
    assert (topics.name_of(orders), topics.name_of(UUID(int=7))) == ("orders", None)


def test_the_hash_changes_with_the_topics() -> None:
    cluster = cluster_of(orders=2)
    topics = TopicMetadata(cluster)
    assert topics.hash_of(["missing"]) == 0
    before = topics.hash_of(["orders", "bills"])
    assert before == topics.hash_of(["orders"])
    revision = topics.revision
    create(cluster, "bills", 1)
    assert topics.revision > revision
    assert topics.hash_of(["orders", "bills"]) not in {0, before}
    cluster.brokers[1] = Broker(1, "host", 1, rack="r")
    assert topics.hash_of(["orders"]) != before

from dataclasses import dataclass
from uuid import UUID

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.topic import Topic
from mockbroker.state.topic.topic_registry import TopicRegistry
from tests.state.group.consumer.consumer_building import cluster_of, create, id_of

CONFIG = ConfigRepository("4.4", {}, {}).topic_config("orders", 1)


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
    cluster.topics.by_name["orders"].add_partitions([(1,)], [CONFIG])
    assert topics.hash_of(["orders"]) != before


@dataclass(slots=True)
class Topics:
    """Topics and brokers with chosen ids."""

    topics: TopicRegistry
    brokers: dict[int, Broker]


def test_a_hash_is_that_of_kafka() -> None:
    """Kafka 4.4.0's `Utils.computeGroupHash` computed these."""
    racks = {1: "rack-b", 2: "rack-a", 3: None}
    brokers = {node_id: Broker(node_id, "host", 1, rack=rack) for node_id, rack in racks.items()}
    host = Topics(TopicRegistry(), brokers)
    orders: list[tuple[int, ...]] = [(1, 2), (2, 3), (3, 1)]
    others: list[tuple[int, ...]] = [(1, 2, 3, 9)] * 40
    for name, topic_id, replicas in [
        ("orders", 0x0123456789ABCDEF_FEDCBA9876543210, orders),
        ("bé😀", (-5 << 64) % (1 << 128) + 77, others),
    ]:
        host.topics.add(Topic(name, UUID(int=topic_id), replicas, [CONFIG] * len(replicas)))
    topics = TopicMetadata(host)
    assert topics.hash_of(["orders", "bé😀", "missing"]) == 2722269310017675880
    assert topics.hash_of(["bé😀"]) == 7734642946217839844

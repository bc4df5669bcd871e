"""Detection of compacted topics by the brokers' configs."""

from mockbroker import API, ERR, Cluster
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.auditing.topic_policies import compacted_topics


def topics_at(servers: str, topic: str = "orders") -> TopicSource:
    return TopicSource(bootstrap_servers=servers, topics=(topic,))


def test_a_topic_is_compacted_if_its_policy_has_compact() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        assert compacted_topics(topics_at(cluster.bootstrap_servers)) == frozenset()
    policy = {"log.cleanup.policy": "compact,delete"}
    with Cluster(topics={"orders": 1}, config=policy) as cluster:
        source = topics_at(f"127.0.0.1:1,{cluster.bootstrap_servers}")
        assert compacted_topics(source) == frozenset({"orders"})


def test_a_topic_that_does_not_exist_is_not_compacted() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        assert compacted_topics(topics_at(cluster.bootstrap_servers, "gone")) == frozenset()


def test_the_policy_is_unknown_if_brokers_refuse_to_describe_it() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.fault(API.DESCRIBE_CONFIGS).answer(ERR.TOPIC_AUTHORIZATION_FAILED)
        assert compacted_topics(topics_at(cluster.bootstrap_servers)) is None


def test_the_policy_is_unknown_if_no_broker_answers() -> None:
    assert compacted_topics(topics_at("127.0.0.1:1")) is None

"""Detection of compacted topics by the brokers' configs."""

from mockbroker import API, ERR, Cluster
from mockbroker.spark.audit.topic_policies import compacted_topics


def test_a_topic_is_compacted_if_its_policy_has_compact() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        assert compacted_topics(cluster.bootstrap_servers, ["orders"]) == frozenset()
    policy = {"log.cleanup.policy": "compact,delete"}
    with Cluster(topics={"orders": 1}, config=policy) as cluster:
        assert compacted_topics(
            f"127.0.0.1:1,{cluster.bootstrap_servers}", ["orders"]
        ) == frozenset({"orders"})


def test_a_topic_that_does_not_exist_is_not_compacted() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        assert compacted_topics(cluster.bootstrap_servers, ["gone"]) == frozenset()


def test_the_policy_is_unknown_if_brokers_refuse_to_describe_it() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.fault(API.DESCRIBE_CONFIGS).answer(ERR.TOPIC_AUTHORIZATION_FAILED)
        assert compacted_topics(cluster.bootstrap_servers, ["orders"]) is None


def test_the_policy_is_unknown_if_no_broker_answers() -> None:
    assert compacted_topics("127.0.0.1:1", ["orders"]) is None

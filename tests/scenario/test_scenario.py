"""A scenario as settings of a cluster."""

from mockbroker import Cluster
from tests.support.scenarios import scenario


def test_topics_without_numbers_have_the_default_of_the_cluster() -> None:
    named = scenario("cluster: {topics: [a, b], config: {num.partitions: 3}}")
    assert named.topic_texts() == ["a", "b"]
    with Cluster(**named.cluster_arguments()) as cluster:
        count = cluster.look(lambda state, _now_ms: len(state.topics.by_name["b"].partitions))
    assert count == 3


def test_a_cluster_without_fields_is_the_default_one() -> None:
    assert scenario("name: nothing").cluster_arguments() == {}
    assert scenario("name: nothing").topic_texts() == []

"""The partitions of a topic are made into an answer once for each change."""

from mockbroker.topic_views import partitions_view
from tests.service.support.in_process import Brokers


def test_a_view_shows_the_partitions_by_their_numbers() -> None:
    topic = Brokers(brokers=3, topics={"orders": 3}).topic("orders")
    shown = [(each.partition_index, each.leader_id) for each in partitions_view(topic)]
    assert shown == [(index, each.leader_id) for index, each in enumerate(topic.partitions)]


def test_a_view_is_shared_until_the_topic_changes() -> None:
    brokers = Brokers(topics={"orders": 1})
    topic = brokers.topic("orders")
    before = partitions_view(topic)
    assert partitions_view(topic) is before
    topic.partitions[0].leader_epoch = 4
    brokers.state.topics.changed(topic)
    after = partitions_view(topic)
    assert (before[0].leader_epoch, after[0].leader_epoch) == (0, 4)

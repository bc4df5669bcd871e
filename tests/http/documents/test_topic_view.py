"""Topics as they are shown."""

from mockbroker.http.documents.topic_view import partition_view, topic_view, topics_view
from tests.support.in_process import NOW_MS, Brokers


def test_a_topic_shows_its_partitions_and_opens_no_log() -> None:
    brokers = Brokers(topics={"payments": 1, "orders": 2})
    assert [topic.name for topic in topics_view(brokers.state).topics] == ["orders", "payments"]
    orders = brokers.topic("orders")
    shown = topic_view(orders)
    assert [each.partition for each in shown.partitions] == [0, 1]
    assert orders.partitions[0].log is None
    brokers.state.log_of(orders.partitions[0], NOW_MS)
    assert partition_view(orders.partitions[0]) == shown.partitions[0]

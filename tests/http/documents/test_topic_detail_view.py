"""A topic with a part of its partitions."""

from mockbroker import Cluster
from mockbroker.http.documents.overview_view import Page
from mockbroker.http.documents.topic_detail_view import TopicDetailView, topic_detail_view
from mockbroker.http.missing import topic_of
from tests.support.seen_cluster import EAGER, hang


def detail_of(cluster: Cluster, name: str) -> TopicDetailView:
    return cluster.look(
        lambda state, _now_ms: topic_detail_view(state, topic_of(state, name), Page(2))
    )


def test_only_what_hangs_in_the_topic_is_shown() -> None:
    with Cluster(topics={"orders": 2, "payments": 3}, config=EAGER) as cluster:
        hang(cluster)
        orders, payments = detail_of(cluster, "orders"), detail_of(cluster, "payments")
    assert [each.partition for each in orders.hanging] == [0]
    assert (payments.hanging, payments.total) == ([], 3)
    assert [each.partition for each in payments.partitions] == [0, 1]

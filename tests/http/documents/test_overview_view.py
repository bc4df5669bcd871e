"""Rows of the overview: what they count."""

from mockbroker import Cluster
from mockbroker.http.documents.overview_view import Page, topic_rows, transaction_rows
from tests.support.seen_cluster import EAGER, commit, hang


def test_a_topic_row_counts_what_is_wrong() -> None:
    with Cluster(brokers=2, topics={"orders": 2}, config=EAGER) as cluster:
        hang(cluster)
        cluster.kill(2)
        row = cluster.look(lambda state, _now_ms: topic_rows(state, Page(10)).topics[0])
    assert (row.name, row.hanging, row.leaderless) == ("orders", 1, 0)
    assert (row.under_replicated, row.behind_stable) == (2, 1)


def test_open_transactions_are_ordered_by_age_and_ended_ones_by_id() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        commit(cluster, "b")
        commit(cluster, "a")
        rows = cluster.look(lambda state, _now_ms: transaction_rows(state, Page(10)))
    assert [row.transactional_id for row in rows.transactions] == ["a", "b"]
    assert rows.total == 2

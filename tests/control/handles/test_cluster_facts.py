"""State of a cluster, as its forms show it."""

from mockbroker import Cluster


def test_a_cluster_shows_its_state() -> None:
    with Cluster(kafka="3.9", brokers=2, topics={"orders": 2, "bills": 1}) as cluster:
        cluster.kill(2)
        cluster.clock.advance("1s")
        text = repr(cluster)
        assert text.startswith("<Cluster: kafka=3.9, brokers=1 running, 1 killed, bootstrap")
        assert text.endswith("topics=orders (2), bills (1), faults=0, clock=offset, 1000 ms ahead>")
        assert "<th>topics</th><td>orders (2), bills (1)</td>" in cluster._repr_html_()


def test_many_topics_are_counted() -> None:
    with Cluster(topics=[f"t{number}" for number in range(7)]) as cluster:
        assert "topics=t0 (1), t1 (1), t2 (1), t3 (1), t4 (1), 2 more, " in repr(cluster)

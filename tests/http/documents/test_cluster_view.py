"""Clusters as they are shown."""

from mockbroker import Cluster
from mockbroker.http.documents.cluster_view import (
    brokers_view,
    clock_view,
    cluster_view,
    moment_text,
)


def test_a_cluster_shows_its_settings() -> None:
    with Cluster(brokers=2, topics={"orders": 3}, clock="manual") as cluster:
        clock, brokers = clock_view(cluster.clock), cluster.brokers
        shown = cluster.look(lambda state, _now_ms: cluster_view(state, clock, "127.0.0.1:9"))
        listed = cluster.look(lambda state, _now_ms: brokers_view(brokers, state)).brokers
        assert clock.now_ms == cluster.clock.now_ms
    assert (shown.kafka, shown.bootstrap_servers) == ("4.4", "127.0.0.1:9")
    assert (clock.mode, clock.now) == ("manual", moment_text(clock.now_ms))
    assert [(broker.id, broker.state) for broker in listed] == [(1, "running"), (2, "running")]
    assert sum(broker.leads for broker in listed) == 3


def test_a_time_beyond_the_calendar_has_no_date() -> None:
    assert moment_text(0) == "1970-01-01T00:00:00.000Z"
    assert moment_text(1 << 60) is None

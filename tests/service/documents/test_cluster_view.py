"""Clusters as they are shown."""

from mockbroker.documents.cluster_view import brokers_view, clock_view, cluster_view
from tests.service.support.in_process import NOW_MS, Brokers


def test_a_cluster_shows_what_it_is() -> None:
    brokers = Brokers(topics={"orders": 3})
    shown = cluster_view(brokers.state, NOW_MS, "127.0.0.1:9")
    assert shown.cluster_id == brokers.state.cluster_id
    assert (shown.kafka, shown.bootstrap_servers) == ("4.4", "127.0.0.1:9")
    listed = brokers_view(brokers.state).brokers
    assert [broker.id for broker in listed] == sorted(brokers.state.brokers)
    assert sum(broker.leads for broker in listed) == 3


def test_a_time_is_shown_for_people_as_well() -> None:
    assert clock_view(0).now == "1970-01-01T00:00:00.000+00:00"
    assert clock_view(1 << 60).now is None

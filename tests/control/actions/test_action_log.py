"""The log of what was done to a cluster."""

from collections.abc import Iterator

import pytest

from mockbroker import API, Cluster
from mockbroker.control.actions import action_log
from mockbroker.control.actions.action_log import LoggedCall, LoggedFault
from mockbroker.wire import WireProducer


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        yield cluster


def told(cluster: Cluster) -> list[tuple[object, ...]]:
    """Describe the entries of the log."""
    return [
        (each.method, *each.args, *each.kwargs.items())
        if isinstance(each, LoggedCall)
        else (each.change, each.name)
        for each in cluster.action_log().entries
    ]


def test_control_calls_are_logged_in_order_with_their_arguments(cluster: Cluster) -> None:
    cluster.kill(2)
    cluster.clock.advance("7d", keep_sessions=False)
    cluster.partition("orders", 0).lose_tail(records=1)
    assert told(cluster) == [
        ("BrokerControl.kill", 2),
        ("ClusterClock.advance", "7d", ("keep_sessions", False)),
        ("PartitionHandle.lose_tail", ("records", 1)),
    ]


def test_a_call_that_fails_or_that_another_call_makes_is_not_logged(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="is running"):
        cluster.start(1)
    cluster.crash(1)
    assert told(cluster) == [("BrokerControl.crash", 1)]


def test_a_fault_is_logged_once_with_its_last_parts(cluster: Cluster) -> None:
    fault = cluster.fault(API.PRODUCE, name="lost").lose_response()
    fault.release()
    fault.times(2)
    fault.remove()
    assert told(cluster) == [
        ("made", "lost"),
        ("released", "lost"),
        ("made", "lost"),
        ("removed", "lost"),
    ]
    first, _, second, _ = cluster.action_log().entries
    assert isinstance(first, LoggedFault)
    assert isinstance(second, LoggedFault)
    assert [str(each.trigger) for each in (first, second)] == ["once()", "times(2)"]


def test_a_fault_that_is_removed_at_once_leaves_nothing(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).lose_response().remove()
    assert not told(cluster)


def test_entries_say_how_far_clients_had_come(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE, name="seen").observe().every_time()
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        producer.produce("orders", b"1", base_sequence=0)
    cluster.flush()
    (made, flushed) = cluster.action_log().entries
    assert not made.after.log_end_offsets
    assert made.after.faults["seen"].hits == 0
    assert flushed.before.log_end_offsets == {("orders", 0): 1}
    assert flushed.before.faults["seen"].hits == 1


def test_a_reset_begins_anew(cluster: Cluster) -> None:
    cluster.flush()
    cluster.reset()
    assert not told(cluster)


def test_a_log_is_bounded(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_log, "ENTRIES_MAX", 1)
    cluster.flush()
    assert cluster.action_log().is_complete
    cluster.flush()
    assert told(cluster) == [("BrokerControl.flush",)]
    assert not cluster.action_log().is_complete
    with pytest.raises(RuntimeError, match="not running"):
        Cluster().flush()

"""Faults that can do nothing, or not all that was asked for, are refused when they are made."""

from collections.abc import Callable, Generator
from typing import cast

import pytest

from mockbroker import Cluster, Fault


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    with Cluster(topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    yield shared
    shared.faults.clear()


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (Fault.lose_response, Fault.duplicate, r"has lose_response\(\), which duplicate\(\)"),
        (
            Fault.observe,
            lambda fault: fault.latency("1s"),
            r"has observe\(\), which latency\('1s'\)",
        ),
        (Fault.timeout, Fault.drop_request, r"has timeout\(\), which drop_request\(\)"),
    ],
)
def test_a_second_effect_is_refused_and_the_first_one_stays(
    cluster: Cluster,
    first: Callable[[Fault], Fault],
    second: Callable[[Fault], Fault],
    names: str,
) -> None:
    fault = first(cluster.fault(client_id="app"))
    before = repr(fault)
    with pytest.raises(ValueError, match=f"{names} would replace: .* make another fault"):
        second(fault)
    assert repr(fault) == before


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (Fault.once, lambda fault: fault.times(3), r"has once\(\), which times\(3\)"),
        (
            lambda fault: fault.latency("1s", toxicity=0.3),
            Fault.once,
            r"has with_probability\(0.3\), which once\(\)",
        ),
        (
            Fault.once,
            lambda fault: fault.latency("1s", toxicity=0.3),
            r"has once\(\), which with_probability\(0.3\)",
        ),
    ],
)
def test_a_second_trigger_is_refused_and_the_first_one_stays(
    cluster: Cluster,
    first: Callable[[Fault], Fault],
    second: Callable[[Fault], Fault],
    names: str,
) -> None:
    fault = first(cluster.fault(client_id="app"))
    before = repr(fault)
    with pytest.raises(ValueError, match=f"{names} would replace: .* make another fault"):
        second(fault)
    assert repr(fault) == before


def test_a_trigger_may_come_before_the_effect(cluster: Cluster) -> None:
    assert "observe().times(2)" in repr(cluster.fault("Produce").times(2).observe())
    assert "latency('1s').once()" in repr(cluster.fault().once().latency("1s"))
    assert "observe().every_time()" in repr(cluster.fault("Produce").observe())


def test_a_selector_that_calls_of_the_api_do_not_have_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="topic: calls of EndTxn do not have it") as refused:
        cluster.fault("EndTxn", topic="orders")
    assert "selectors of EndTxn are transactional_id, producer_id, producer_epoch" in str(
        refused.value
    )
    assert "those of every call: version, broker, connection, client_id" in str(refused.value)
    with pytest.raises(ValueError, match=r"group, member_id: .* ApiVersions are none of its own"):
        cluster.fault("ApiVersions", group="readers", member_id="*")
    with pytest.raises(ValueError, match="partition: calls of Metadata"):
        cluster.fault(["Produce", "Metadata"], partition=0)
    assert cluster.faults == []


def test_an_api_that_the_cluster_does_not_serve_is_refused_at_once(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="Vote is not served by this cluster"):
        cluster.fault("Vote")


@pytest.mark.parametrize(
    ("selectors", "why"),
    [
        ({"partition": "0"}, "partition='0' never matches: a partition is a number"),
        ({"topic": 7}, "topic=7 never matches: a topic is text"),
        ({"topic": b"orders"}, "topic: 111 never matches, because a topic is text"),
        ({"topic": ["orders", 7]}, "topic: 7 never matches, because a topic is text"),
        ({"broker": []}, r"broker=\[\] is an empty collection, which selects no call"),
        ({"broker": 7}, "broker=7 never matches: the brokers are 1$"),
        (
            {"version": [98, 99]},
            r"version=\[98, 99\] never matches: Produce of this cluster has the ",
        ),
        ({"topics": ["orders"]}, "unknown selector 'topics'; did you mean 'topic'"),
    ],
)
def test_a_value_that_never_matches_is_refused(
    cluster: Cluster, selectors: dict[str, object], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        cluster.fault("Produce", **selectors)  # type: ignore[arg-type]
    assert cluster.faults == []


def test_a_trigger_counts_whole_calls(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match=r"times\(1.5\): write a whole number"):
        cluster.fault("Produce").times(cast("int", 1.5))
    with pytest.raises(ValueError, match=r"on_call\(True\): write a whole number"):
        cluster.fault("Produce").on_call(True)


def test_nobody_waits_for_a_fault_without_an_effect(cluster: Cluster) -> None:
    fault = cluster.fault("Produce", name="idle")
    for wait in (fault.wait, fault.wait_held, fault.wait_released):
        with pytest.raises(
            ValueError, match=r"idle: fault\(api=Produce\).once\(\) has no effect yet"
        ):
            wait()

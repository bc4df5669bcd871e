"""The faults of a cluster as a sequence, and those that do nothing."""

from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from typing import get_type_hints

import pytest

from mockbroker import API, Cluster, MockbrokerWarning
from mockbroker.faults.selectors import NAMES, SelectorArguments
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.wire import WireClient
from tests.support.requests import metadata

IDLE = "without an effect a fault changes nothing"


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    with Cluster(topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    yield shared
    shared.faults.clear()


def ask(cluster: Cluster) -> None:
    with WireClient(cluster.bootstrap_servers) as client:
        client.ask(metadata(), 12, MetadataResponse)


def test_faults_are_a_sequence_that_follows_the_cluster(cluster: Cluster) -> None:
    faults = cluster.faults
    assert (len(faults), list(faults)) == (0, [])
    first = cluster.fault("Metadata").observe()
    second = cluster.faults.add("Produce").observe()
    assert faults == [first, second] == cluster.faults
    assert (faults[0], faults[-1], faults[1:]) == (first, second, [second])
    assert first in faults
    assert faults != [second]
    first.remove()
    assert [fault.name for fault in faults] == [second.name]


def test_clear_removes_all_faults_and_releases_their_calls(cluster: Cluster) -> None:
    held = cluster.fault("Metadata").hold()
    other = cluster.fault("Produce").observe()
    with WireClient(cluster.bootstrap_servers) as client:
        client.send(metadata(), 12)
        held.wait_held()
        cluster.faults.clear()
    assert cluster.faults == []
    assert held.released == 1
    assert "removed" in repr(other)


def test_faults_are_shown_with_their_states(cluster: Cluster) -> None:
    assert repr(cluster.faults) == "<no faults>"
    cluster.fault(name="later")
    seen = cluster.fault("Metadata", name="seen").observe()
    ask(cluster)
    seen.wait()
    assert repr(cluster.faults) == (
        "<Faults\n"
        "  <Fault later: fault().once(), no effect, 0 calls, 0 hits>,\n"
        "  <Fault seen: fault(api=Metadata).observe().every_time(), active, 1 calls, 1 hits>,\n"
        ">"
    )
    assert list(cluster.faults.__rich_repr__()) == cluster.faults
    assert getattr(cluster.faults, "_repr_html_")().count("<tr>") == 3  # noqa: B009 - for notebooks


def test_a_fault_without_an_effect_is_told_from_one_that_never_fired(cluster: Cluster) -> None:
    cluster.fault("Produce", name="idle").times(2)
    cluster.fault("EndTxn", name="in-vain").drop_request()
    with pytest.raises(AssertionError) as failure:
        cluster.assert_all_faults_fired()
    first, idle, second, in_vain = str(failure.value).splitlines()
    assert first.startswith(IDLE)
    assert idle == "idle: fault(api=Produce).times(2)"
    assert second == "faults that never fired:"
    assert in_vain.startswith("in-vain: fault(api=EndTxn).drop_request()")


def expected(*, is_told: bool) -> AbstractContextManager[object]:
    return nullcontext() if is_told else pytest.warns(MockbrokerWarning, match=f"{IDLE}.*\nidle: ")


@pytest.mark.parametrize("is_told", [False, True])
def test_a_cluster_ends_with_a_warning_of_faults_without_effect_unless_they_were_told(
    *, is_told: bool
) -> None:
    with expected(is_told=is_told), Cluster() as cluster:
        cluster.fault("Produce", name="idle")
        if is_told:
            with pytest.raises(AssertionError, match="idle"):
                cluster.assert_all_faults_fired()


@pytest.mark.asyncio
async def test_a_cluster_on_the_callers_loop_warns_at_its_end_too() -> None:
    with expected(is_told=False):
        async with Cluster() as cluster:
            cluster.fault(API.PRODUCE, name="idle")


def test_a_story_of_a_fault_without_effect_is_not_repeated_at_the_end() -> None:
    with Cluster() as cluster:
        fault = cluster.fault("Produce", name="idle")
        assert fault.story().startswith("idle: fault(api=Produce).once() has no effect: choose one")


def test_a_test_that_fails_is_not_told_of_faults_without_effect() -> None:
    def fail(cluster: Cluster) -> None:
        cluster.fault("Produce")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Cluster() as cluster:
        fail(cluster)


def test_type_checkers_know_all_selectors() -> None:
    assert {"api", *get_type_hints(SelectorArguments)} == set(NAMES)

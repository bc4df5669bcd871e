"""The stream of changes, read as a browser reads it."""

import json
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from uuid import UUID

import pytest

from mockbroker import API, Cluster
from mockbroker.events.event_bus import Subscriber
from mockbroker.http.live import change_stream as streams
from mockbroker.http.live.change_stream import change_stream
from mockbroker.state.events import TopicDeleted
from tests.support.fake_host import FakeHost
from tests.support.seen_cluster import commit


@contextmanager
def followed(cluster: Cluster) -> Generator[HTTPResponse]:
    """Follow the changes of a cluster."""
    host, _, port = cluster.admin_url.removeprefix("http://").rpartition(":")
    with closing(HTTPConnection(host, int(port), timeout=10)) as http:
        http.request("GET", "/api/v1/changes")
        answer = http.getresponse()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.readline().startswith(b": mockbroker")
        yield answer


def reports(stream: HTTPResponse) -> Generator[dict[str, Any]]:
    """Yield the reports of a stream."""
    while line := stream.readline():
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (lambda cluster: commit(cluster, "billing"), "transactions", "billing"),
        (lambda cluster: commit(cluster, "billing"), "topics", "orders"),
        (lambda cluster: cluster.fault(API.FETCH).delay("1ms"), "faults", True),
        (lambda cluster: cluster.clock.advance("1m"), "clock", True),
        (lambda cluster: cluster.kill(1), "cluster", True),
    ],
    ids=["transactions", "topics", "faults", "clock", "brokers"],
)
def test_events_of_a_cluster_name_what_they_change(
    change: Callable[[Cluster], object], field: str, value: object
) -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster, followed(cluster) as stream:
        change(cluster)
        for report in reports(stream):
            if report[field] == value or (isinstance(value, str) and value in report[field]):
                return
    pytest.fail("the stream ended")


def test_a_stream_goes_on_after_a_reset() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster, followed(cluster) as stream:
        found = reports(stream)
        cluster.reset()
        assert any(report["cluster"] for report in found)
        commit(cluster, "billing")
        assert any("billing" in report["transactions"] for report in found)


def test_a_stream_ends_with_the_port() -> None:
    with Cluster(admin_port=0) as cluster:
        following = followed(cluster)
        stream = following.__enter__()
    assert list(reports(stream)) == []
    following.__exit__(None, None, None)


class Subscribers(list[Subscriber]):
    """Subscribers that are there now."""

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Count a subscriber until it leaves."""
        self.append(subscriber)
        return lambda: self.remove(subscriber)


@pytest.mark.asyncio
async def test_events_are_subscribed_only_while_the_stream_is_read() -> None:
    host, subscribers = FakeHost(), Subscribers()
    stream = change_stream(host, subscribers.subscribe)
    assert subscribers == []
    await anext(stream)
    assert len(subscribers) == len(host.stop_watchers) == 1
    subscribers[0](TopicDeleted("orders", UUID(int=1)))
    assert b'"topics":["orders"]' in await anext(stream)
    await stream.aclose()
    assert (subscribers, host.stop_watchers) == ([], [])


@pytest.mark.asyncio
async def test_a_stream_without_changes_shows_that_it_is_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "STILL_HERE_S", 0.001)
    stream = change_stream(FakeHost(), Subscribers().subscribe)
    await anext(stream)
    assert await anext(stream) == b": still here\n\n"
    await stream.aclose()

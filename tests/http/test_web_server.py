"""HTTP on the cluster's own loop."""

import logging
from contextlib import ExitStack, closing

import pytest

from mockbroker import Cluster
from mockbroker.http import reading, web_server
from tests.support.http import Http, connected, head, received


def test_requests_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Cluster(admin_port=0) as cluster:
        http = Http(cluster)
        http.get("//livez")
        assert http.ask("GET", "/nowhere").status == 404
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_a_second_cluster_has_its_own_http_port() -> None:
    with Cluster(topics={"a": 1}, admin_port=0) as one, Cluster(admin_port=0) as other:
        assert len(Http(one).get("/topics")["topics"]) == 1
        assert Http(other).get("/topics")["topics"] == []


@pytest.mark.parametrize("part", [b"", b"GET /api/v1/state HT", b"GET /api/v1/state HTTP/1.1\r\n"])
def test_a_connection_whose_request_is_late_is_closed(
    http: Http, monkeypatch: pytest.MonkeyPatch, part: bytes
) -> None:
    monkeypatch.setattr(reading, "ARRIVAL_S", 0.05)
    with closing(connected(http)) as slow:
        slow.sendall(part)
        assert received(slow) == b""


def test_a_body_that_nobody_reads_does_not_keep_a_connection_open(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ARRIVAL_S", 0.05)
    with closing(connected(http)) as slow:
        slow.sendall(head("POST", "/nowhere", 100) + b"{")
        assert received(slow).startswith(b"HTTP/1.1 404 ")


def test_a_request_that_is_there_may_take_its_time(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ARRIVAL_S", 0.05)
    http.post("/faults", {"id": "r", "effect": {"observe": True}})
    assert http.ask("GET", "/faults/r/wait?timeout=150ms").status == 504


def test_late_requests_do_not_delay_others(http: Http) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            slow = stack.enter_context(closing(connected(http)))
            slow.sendall(head("POST", "/faults", 100) + b"{")
        assert http.post("/clock/advance", {"by": "1ms"})["done"] == []


def test_beyond_a_number_of_connections_requests_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web_server, "CONNECTIONS_MAX", 3)
    with Cluster(admin_port=0) as cluster, ExitStack() as stack:
        http = Http(cluster)
        http.get("/state")
        kept = [stack.enter_context(closing(connected(http))) for _ in range(2)]
        for each in kept:
            each.sendall(head("GET", "/state", 0))
            assert each.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert http.ask("GET", "//livez").status == 503
        kept[0].close()
        while http.ask("GET", "//livez").status != 200:
            pass

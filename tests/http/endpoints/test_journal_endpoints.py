"""The journal over HTTP."""

import json
import socket
import threading
import time
from collections.abc import Generator
from contextlib import closing
from typing import Any

import pytest

from mockbroker import API, Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http
from tests.support.in_time import assert_within_a_second

RULES: list[dict[str, Any]] = [
    {"id": "a", "match": {"api": "AddPartitionsToTxn"}, "effect": {"answer": "NOT_COORDINATOR"}},
    {"id": "b", "match": {"api": "EndTxn"}, "effect": {"delay": "1ms"}, "trigger": {"on_call": 1}},
]


@pytest.fixture
def cluster() -> Generator[Cluster]:
    with Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster:
        yield cluster


def converse(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.add_partition("orders")
        producer.produce("orders", b"value", base_sequence=0)
        producer.commit()
    cluster.look(lambda _state, _now_ms: None)  # what follows an answer is done by now


def test_entries_are_those_of_python(cluster: Cluster, http: Http) -> None:
    converse(cluster)
    shown = http.get("/journal?limit=100000")
    assert (shown["is_on"], shown["dropped"]) == (True, 0)
    assert [entry["seq"] for entry in shown["entries"]] == [e.seq for e in cluster.journal]
    found = http.get("/journal?api=Produce&kind=request")["entries"]
    assert [entry["topic"] for entry in found] == ["orders"]
    assert http.post("/journal/find", {"api": ["Produce"], "kind": "request"})["entries"] == found
    assert http.post("/journal/count", {"api": "Produce"}) == {"count": 1}
    assert cluster.journal.count(API.PRODUCE) == 1


def test_entries_are_read_from_a_known_one_on(cluster: Cluster, http: Http) -> None:
    converse(cluster)
    every = http.get("/journal?limit=100000")["entries"]
    seq = every[3]["seq"]
    after = [entry for entry in every if entry["seq"] > seq]
    assert http.get(f"/journal?after={seq}&limit=2")["entries"] == after[:2]
    assert http.get("/journal?limit=2")["entries"] == every[-2:]
    assert http.ask("DELETE", "/journal").status == 204
    assert http.get("/journal")["entries"] == []


def test_a_journal_is_turned_on_and_off() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        for method, path in (("GET", "/journal"), ("POST", "/journal/count"), ("GET", "/events")):
            problem = http.refused(method, path)
            assert (problem["status"], problem["code"]) == (409, "conflict")
        assert http.ask("PUT", "/journal", {"on": True, "entries_max": 1000}).json["is_on"]
        converse(cluster)
        assert http.post("/journal/count", {"api": "Produce"}) == {"count": 1}
        assert not http.ask("PUT", "/journal", {"on": False}).json["is_on"]
        converse(cluster)
        assert http.post("/journal/count", {"api": "Produce"}) == {"count": 1}


def test_a_journal_is_told_what_identifies_records() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        problem = http.refused("PUT", "/journal", {"on": True, "identity": "id"})
        assert (problem["code"], problem["path"]) == ("invalid", "$.identity")
        assert http.ask("PUT", "/journal", {"on": True, "identity": "value"}).status == 200
        cluster.append("orders", "a")
        cluster.append("orders", "a")
        (finding,) = cluster.audit().findings
        assert finding.rule == "DUPLICATE_PAYLOAD"


@pytest.mark.parametrize(
    "query", ["api=Prodce", "error=OOPS", "kind=reqest", "topc=orders", "after=x"]
)
def test_invalid_queries_are_refused(http: Http, query: str) -> None:
    assert http.refused("GET", f"/journal?{query}")["status"] == 422


def test_faults_that_never_fired_are_listed(cluster: Cluster, http: Http) -> None:
    for rule in RULES:
        http.post("/faults", rule)
    assert [rule["id"] for rule in http.get("/journal/unfired")["faults"]] == ["a", "b"]
    converse(cluster)
    assert http.get("/journal/unfired")["faults"] == []


class Stream:
    """A reader of the journal's stream."""

    def __init__(self, http: Http, path: str = "/events", **headers: str) -> None:
        host, _, port = http.url.removeprefix("http://").rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=20)
        lines = [f"GET /api/v1{path} HTTP/1.1", "Host: localhost"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._read = b""
        self.read_until(b": mockbroker\n\n")

    def read_until(self, text: bytes) -> bytes:
        """Read up to a text."""
        while text not in self._read:
            data = self._socket.recv(65536)
            if not data:
                raise EOFError(self._read)
            self._read += data
        before, _, self._read = self._read.partition(text)
        return before

    def event(self) -> tuple[int, str, Any]:
        """Read one event: its id, its kind and its data."""
        text = self.read_until(b"\n\n").decode()
        fields = dict(
            line.split(": ", 1) for line in text.splitlines() if ": " in line and line[0] != ":"
        )
        return int(fields["id"]), fields["event"], json.loads(fields["data"])

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def test_new_entries_are_followed(cluster: Cluster, http: Http) -> None:
    with closing(Stream(http, "/events?kind=marker")) as stream:
        converse(cluster)
        seq, kind, entry = stream.event()
    assert (kind, entry["topic"], entry["marker"]) == ("marker", "orders", "COMMIT")
    (known,) = cluster.journal.find(kind="marker", topic="orders")
    assert seq == known.seq


def test_a_stream_continues_where_it_ended(cluster: Cluster, http: Http) -> None:
    converse(cluster)
    every = [e.seq for e in cluster.journal.find(kind="request")]
    with closing(Stream(http, "/events?kind=request", Last_Event_ID=str(every[0]))) as stream:
        followed = [stream.event()[0] for _ in every if _ > every[0]]
    assert followed == [seq for seq in every if seq > every[0]]


def test_a_cluster_stops_at_once_though_it_is_followed() -> None:
    before = threading.active_count()

    def stopped_s() -> float:
        with Cluster(journal=True, admin_port=0) as cluster:
            stream = Stream(Http(cluster))
            started_s = time.monotonic()
        took_s = time.monotonic() - started_s
        stream.close()
        assert threading.active_count() == before
        return took_s

    assert_within_a_second(stopped_s)

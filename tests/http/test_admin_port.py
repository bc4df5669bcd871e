"""The admin port's life."""

import asyncio
import socket
import threading
import time
from contextlib import closing, suppress

import pytest

from mockbroker import Cluster
from mockbroker.errors import SettingsError
from mockbroker.http.admin_port import is_installed
from tests.support.http import Http
from tests.support.in_time import assert_within_a_second


def is_open(url: str) -> bool:
    host, _, port = url.removeprefix("http://").rpartition(":")
    with closing(socket.socket()) as client:
        return client.connect_ex((host, int(port))) == 0


def test_a_port_is_open_while_the_cluster_runs() -> None:
    with Cluster(admin_port=0) as cluster:
        url = cluster.admin_url
        assert is_open(url)
    assert not is_open(url)
    with Cluster() as cluster, pytest.raises(RuntimeError, match="no admin port"):
        _ = cluster.admin_url


def test_pending_requests_leave_nothing_behind() -> None:
    before = threading.active_count()

    def stopped_s() -> float:
        with Cluster(admin_port=0) as cluster:
            http = Http(cluster)
            http.post("/faults", {"id": "r", "effect": {"observe": True}})
            answers: list[int] = []
            waiting = threading.Thread(
                target=lambda: answers.append(http.ask("GET", "/faults/r/wait?timeout=1m").status)
            )
            waiting.start()
            rule = cluster.faults[0].state
            while not cluster.look(lambda _cluster, _now_ms: rule.watchers):
                pass
            idle = socket.create_connection(("127.0.0.1", int(http.url.rpartition(":")[2])))
            started_s = time.monotonic()
        took_s = time.monotonic() - started_s
        idle.close()
        waiting.join()
        assert answers == [503]
        assert threading.active_count() == before
        return took_s

    assert_within_a_second(stopped_s)


def test_a_connection_during_shutdown_is_closed() -> None:
    with Cluster(admin_port=0) as cluster:
        port = int(cluster.admin_url.rpartition(":")[2])
        client = socket.create_connection(("127.0.0.1", port), timeout=20)
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with closing(client), suppress(ConnectionError):
        assert client.recv(4096)[:15] in {b"", b"HTTP/1.1 200 OK"}


@pytest.mark.asyncio
async def test_the_admin_api_runs_on_the_tests_own_loop() -> None:
    async with Cluster(admin_port=0) as cluster:
        assert await asyncio.to_thread(Http(cluster).get, "//livez") == {"status": "ok"}


def test_a_port_that_is_taken_starts_no_cluster() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"), Cluster(admin_port=port):
            pass


def test_an_invalid_port_is_refused() -> None:
    assert is_installed()
    with pytest.raises(SettingsError, match="allowed are 0 to 65535"):
        Cluster(admin_port=65536)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(_name: str) -> None:
        """Find no package at all."""

    monkeypatch.setattr("mockbroker.http.admin_port.find_spec", find_nothing)
    with pytest.raises(SettingsError, match=r"pip install 'mockbroker\[http\]'"):
        Cluster(admin_port=0)


def test_an_address_that_others_reach_needs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOCKBROKER_ADMIN_TOKEN", raising=False)
    with (
        pytest.raises(ValueError, match="set MOCKBROKER_ADMIN_TOKEN"),
        Cluster(host="0.0.0.0", admin_port=0),
    ):
        pass
    monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", "secret")
    with Cluster(host="0.0.0.0", admin_port=0) as cluster:
        http = Http(cluster)
        assert http.url.startswith("http://127.0.0.1:")
        answer = http.ask("GET", "/state")
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        allowed = http.ask("GET", "/state", headers={"Authorization": "Bearer secret"})
        assert allowed.status == 200
        assert http.ask("GET", "//livez").status == 200

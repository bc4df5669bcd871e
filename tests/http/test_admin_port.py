"""The admin port's life."""

import asyncio
import re
import socket
import ssl
import threading
import time
from contextlib import closing, suppress

import pytest

from mockbroker import Cluster
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import SettingsError, install_hint
from mockbroker.http.admin_port import is_installed
from mockbroker.http.serving import open_port
from mockbroker.settings.settings import Given, resolve_settings
from tests.support.http import Http
from tests.support.in_time import assert_within_a_second
from tests.support.logged import Logged


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
    with pytest.raises(SettingsError, match=re.escape(install_hint("http"))):
        Cluster(admin_port=0)


@pytest.mark.parametrize("configured", ["secret", None])
def test_commands_need_a_token_where_other_machines_reach_the_port(
    configured: str | None, monkeypatch: pytest.MonkeyPatch, logged: Logged
) -> None:
    monkeypatch.delenv("MOCKBROKER_ADMIN_TOKEN", raising=False)
    if configured is not None:
        monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", configured)
    with Cluster(host="0.0.0.0", admin_port=0) as cluster:
        told = [str(fields["token"]) for fields in logged.named("admin_token")]
        assert len(told) == (configured is None)
        http = Http(cluster)
        assert http.url.startswith("http://127.0.0.1:")
        assert http.ask("GET", "/state").status == 200
        assert http.ask("GET", "//livez").status == 200
        answer = http.ask("POST", "/reset")
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        token = configured or told[0]
        borne = {"Authorization": f"Bearer {token}"}
        assert http.ask("POST", "/reset", headers=borne).status == 204


def test_with_tls_the_port_has_a_certificate_of_the_authority() -> None:
    async def read() -> bytes:
        loop = asyncio.get_running_loop()
        running = RunningCluster(resolve_settings(Given(port=0, tls=True)), loop)
        await running.start()
        await open_port(running, "127.0.0.1", 0, has_tls=True)
        assert running.admin is not None
        host, port = running.admin.url.removeprefix("https://").split(":")
        context = ssl.create_default_context(cadata=running.security.authority.ca_pem)
        reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        writer.write(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await running.stop()
        return answer

    assert asyncio.run(read()).startswith(b"HTTP/1.1 200 ")

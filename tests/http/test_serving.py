"""The HTTP API of a served cluster."""

import asyncio
import signal
import socket
from contextlib import closing

import pytest

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import install_hint
from mockbroker.http.serving import AdminError, open_admin
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import Given, resolve_settings
from tests.support.http import Http
from tests.support.in_time import assert_within_a_second
from tests.support.process import run, served


async def opened(options: ServeOptions) -> str:
    cluster = RunningCluster(resolve_settings(Given(port=0)), asyncio.get_running_loop())
    await cluster.start()
    try:
        await open_admin(cluster, options, lambda: None)
        return "" if cluster.admin is None else cluster.admin.url
    finally:
        await cluster.stop()


@pytest.mark.asyncio
async def test_with_broker_port_0_the_http_port_is_free_too() -> None:
    assert not (await opened(ServeOptions(port=0))).endswith(":8092")
    assert (await opened(ServeOptions(port=0, no_admin=True))) == ""


@pytest.mark.asyncio
async def test_a_default_port_that_is_taken_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("mockbroker.http.serving.DEFAULT_PORT", port)
        assert await opened(ServeOptions()) == ""
        assert capsys.readouterr().err == (
            f"mockbroker: the admin port is off: cannot listen on 127.0.0.1:{port}: Address already"
            " in use; choose another --admin-port\n"
        )
        with pytest.raises(AdminError, match="choose another --admin-port"):
            await opened(ServeOptions(admin_port=port))


@pytest.mark.asyncio
async def test_without_the_extra_one_line_says_that_the_port_is_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mockbroker.http.serving.is_installed", lambda: False)
    assert await opened(ServeOptions()) == ""
    assert capsys.readouterr().err == (
        f"mockbroker: the admin port is off; it needs more packages: {install_hint('http')}\n"
    )
    with pytest.raises(AdminError, match="--admin-port=0 needs more packages"):
        await opened(ServeOptions(admin_port=0))


@pytest.mark.asyncio
async def test_tls_needs_an_authority() -> None:
    with pytest.raises(AdminError, match="--admin-tls: the cluster issues no certificates"):
        await opened(ServeOptions(port=0, admin_tls=True))


@pytest.mark.slow
def test_a_served_cluster_is_stopped_over_http() -> None:
    def stopped_s() -> float:
        with served("--json") as broker:
            http = Http(broker.ready["admin_url"])
            assert http.get("//readyz") == {"status": "ok"}
            assert http.post("/shutdown") == {"status": "stopping"}
            assert broker.stop(signal.SIGCONT) == 0
        assert not broker.stderr
        return broker.stop_s

    assert_within_a_second(stopped_s)


@pytest.mark.slow
def test_a_taken_port_is_refused_in_one_line() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        result = run("serve", "--port", "0", "--admin-port", port)
    assert result.returncode == 2
    assert result.stderr.startswith(f"mockbroker: cannot listen on 127.0.0.1:{port}: ")


@pytest.mark.slow
def test_a_served_cluster_with_waiting_clients_stops_within_a_second() -> None:
    paths = "/events", "/faults/r/wait?timeout=1m", ""

    def stopped_s() -> float:
        with served("--json") as broker:
            http = Http(broker.ready["admin_url"])
            http.ask("PUT", "/journal", {"on": True})
            http.post("/faults", {"id": "r", "effect": {"observe": True}})
            port = int(http.url.rpartition(":")[2])
            clients = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in paths]
            for client, path in zip(clients, paths, strict=True):
                client.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n".encode())
                client.sendall(b"\r\n" if path else b"X: ")
            assert clients[0].recv(15) == b"HTTP/1.1 200 OK"
            assert broker.stop() == 0
            for client in clients:
                client.close()
        assert not broker.stderr
        return broker.stop_s

    assert_within_a_second(stopped_s)


@pytest.mark.slow
def test_assertions_need_the_ledger_of_a_served_cluster() -> None:
    asked = {"assertions": [{"name": "exactly-once"}]}
    with served("--json", "-t", "orders") as broker:
        outcome = Http(broker.ready["admin_url"]).post("/assertions", asked)
        assert outcome == {"ok": True, "failures": [], "nothing_judged": ["assert_exactly_once"]}
    with served("--json", "--ledger-rows", "0", "-t", "orders") as broker:
        problem = Http(broker.ready["admin_url"]).refused("POST", "/assertions", asked)
    assert problem["status"] == 409
    assert problem["command"] == "mockbroker ledger on"

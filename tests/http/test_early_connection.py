"""Connections that wait for the application's import."""

import socket

from mockbroker import Cluster
from mockbroker.http.early_connection import EarlyConnection
from tests.support.http import Http


def test_a_request_in_pieces_that_arrives_before_the_application_is_loaded_is_answered() -> None:
    with Cluster(admin_port=0) as cluster:
        host, _, port = cluster.admin_url.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as client:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: local")
            client.sendall(b"host\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert answer.endswith(b'{"status":"ok"}')
        assert Http(cluster).get("//readyz") == {"status": "ok"}


def test_a_closed_connection_is_not_waited_for() -> None:
    left: list[EarlyConnection] = []

    class Port:
        def arrived(self, connection: EarlyConnection) -> None:
            """Take no note."""

        def left(self, connection: EarlyConnection) -> None:
            left.append(connection)

    connection = EarlyConnection(Port())  # type: ignore[arg-type]
    connection.connection_lost(None)
    connection.abort()
    assert left == [connection]

"""Links between brokers pass requests on, except those of followers that are cut off."""

import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread

import pytest

from tests.support.held_ports import held_ports
from tools.replication_links import ReplicationLinks

FOLLOWER = b"broker-2-fetcher-0"


def request(client_id: bytes) -> bytes:
    body = struct.pack(">hhih", 1, 11, 7, len(client_id)) + client_id
    return struct.pack(">i", len(body)) + body


@contextmanager
def linked() -> Generator[tuple[ReplicationLinks, int]]:
    """Run links to a listener that returns what it receives; yield them and their port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                Thread(target=echo, args=(connection,), daemon=True).start()

        Thread(target=serve, daemon=True).start()
        with held_ports() as (port,):
            pass
        with ReplicationLinks({port: listener.getsockname()[1]}) as links:
            yield links, port
        listener.shutdown(socket.SHUT_RDWR)


def echo(connection: socket.socket) -> None:
    with connection:
        while data := connection.recv(1024):
            connection.sendall(data)


def ask(connection: socket.socket, client_id: bytes = FOLLOWER) -> bytes:
    sent = request(client_id)
    connection.sendall(sent)
    data = b""
    while len(data) < len(sent) and (part := connection.recv(1024)):
        data += part
    return data


def test_requests_and_responses_are_passed_on() -> None:
    with linked() as (_, port), socket.create_connection(("127.0.0.1", port)) as connection:
        assert ask(connection) == request(FOLLOWER)


def test_a_follower_that_is_cut_off_gets_no_response() -> None:
    with linked() as (links, port), socket.create_connection(("127.0.0.1", port)) as connection:
        ask(connection)
        links.cut(2)
        assert connection.recv(1) == b""
        with socket.create_connection(("127.0.0.1", port)) as again:
            assert ask(again) == b""


@pytest.mark.parametrize("client_id", [b"broker-1-fetcher-0", b"controller", b""])
def test_others_are_not_cut_off(client_id: bytes) -> None:
    with linked() as (links, port), socket.create_connection(("127.0.0.1", port)) as connection:
        links.cut(2)
        assert ask(connection, client_id) == request(client_id)


def test_a_restored_follower_is_served_again() -> None:
    with linked() as (links, port):
        links.cut(2)
        links.restore(2)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            assert ask(connection) == request(FOLLOWER)


def test_rounds_that_a_follower_does_not_make_are_missed() -> None:
    with linked() as (links, port), socket.create_connection(("127.0.0.1", port)) as connection:
        ask(connection)
        with pytest.raises(TimeoutError, match="no 1 rounds"):
            links.await_rounds({(2, port)}, 1, timeout_s=0.01)


def test_rounds_of_a_follower_are_awaited() -> None:
    with linked() as (links, port), socket.create_connection(("127.0.0.1", port)) as connection:
        waiting = Thread(target=links.await_rounds, args=({(2, port)}, 2))
        waiting.start()
        rounds = 0
        while waiting.is_alive():
            assert ask(connection) == request(FOLLOWER)
            rounds += 1
        assert rounds >= 2

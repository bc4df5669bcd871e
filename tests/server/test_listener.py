"""Listeners of a cluster."""

import asyncio
import contextlib
import socket

import pytest

from mockbroker.broker.call import ANONYMOUS
from mockbroker.broker.service import Service
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.server.connection import RECEIVE_BYTES
from mockbroker.server.listener import Listener, bind
from tests.support.in_process import Brokers
from tests.support.virtual_loop import VirtualLoop

CLIENTS = 3


def listener_on(loop: asyncio.AbstractEventLoop) -> Listener:
    brokers = Brokers()
    service = Service(brokers.state, brokers.clock, loop)
    return Listener(service, 1, bytearray(RECEIVE_BYTES))


@pytest.mark.asyncio
async def test_clients_connect_and_are_disconnected() -> None:
    loop = asyncio.get_running_loop()
    listener = listener_on(loop)
    sock = bind("127.0.0.1", 0)
    address = sock.getsockname()
    await listener.start(sock)
    streams = [await asyncio.open_connection(*address) for _ in range(CLIENTS)]
    while len(listener.connections) < CLIENTS:  # noqa: ASYNC110 - accepted in a later round
        await asyncio.sleep(0)
    assert sorted(c.connection_id for c in listener.connections) == [1, 2, 3]
    await listener.stop()
    for reader, writer in streams:
        with contextlib.suppress(ConnectionResetError):
            assert not await reader.read()
        writer.close()
    assert not listener.connections
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)


@pytest.mark.asyncio
async def test_a_connection_that_is_being_accepted_is_aborted_too() -> None:
    listener = listener_on(asyncio.get_running_loop())
    sock = bind("127.0.0.1", 0)
    await listener.start(sock)
    with socket.create_connection(sock.getsockname()) as client:
        await asyncio.sleep(0)  # the loop accepts, and has not made the connection yet
        await listener.stop()
        assert not listener.connections
        with contextlib.suppress(ConnectionResetError):
            assert not client.recv(1)


def test_a_connection_that_is_made_after_the_stop_is_aborted() -> None:
    brokers = Brokers()
    brokers.listeners[1].is_stopping = True
    peer = brokers.connect()
    brokers.loop.run()
    assert peer.transport.is_lost
    assert not brokers.listeners[1].connections


@pytest.mark.asyncio
async def test_a_listener_that_never_started_can_be_stopped() -> None:
    listener = listener_on(asyncio.get_running_loop())
    await listener.stop()
    assert not listener.connections


def test_connections_share_a_buffer_if_the_loop_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listener = listener_on(VirtualLoop().as_loop)
    first, second = listener.receive_view, listener.receive_view
    first[0] = 7
    assert second[0] == 7
    monkeypatch.setattr("sys.platform", "win32")
    own = listener.receive_view
    assert len(own) == RECEIVE_BYTES
    assert own[0] == 0


def test_a_broker_without_produce_has_no_fast_path() -> None:
    listener = listener_on(VirtualLoop().as_loop)
    del listener.service.routes[ApiKey.PRODUCE]
    assert listener.fast_path(1, ANONYMOUS).answer(b"\0\0", 0, 2) is None


def test_a_port_that_is_taken_cannot_be_bound() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(OSError, match="in use"),
    ):
        bind("127.0.0.1", taken.getsockname()[1])


def test_a_socket_is_bound_for_the_loop() -> None:
    with bind("127.0.0.1", 0) as sock:
        assert sock.getsockname()[1] > 0
        assert not sock.getblocking()
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)


def test_connections_have_a_send_buffer_that_does_not_grow() -> None:
    with bind("127.0.0.1", 0) as sock:
        sock.listen()
        with socket.create_connection(sock.getsockname()) as client:
            sock.setblocking(True)
            accepted, _ = sock.accept()
            size_bytes = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            accepted.close()
            assert size_bytes == sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            assert size_bytes != client.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def test_addresses_with_colons_are_of_version_6(monkeypatch: pytest.MonkeyPatch) -> None:
    families: list[int] = []

    class Refusing(socket.socket):
        def bind(self, address: object) -> None:
            families.append(self.family)
            raise OSError("no such address")

    monkeypatch.setattr("socket.socket", Refusing)
    for host in ("::1", "127.0.0.1"):
        with pytest.raises(OSError, match="no such address"):
            bind(host, 0)
    assert families == [socket.AF_INET6, socket.AF_INET]
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(OSError, match="no such address"):
        bind("127.0.0.1", 0)


@pytest.mark.asyncio
async def test_a_killed_listener_keeps_its_port_and_opens_it_again() -> None:
    listener = listener_on(asyncio.get_running_loop())
    sock = bind("127.0.0.1", 0)
    address = sock.getsockname()
    await listener.start(sock)
    reader, writer = await asyncio.open_connection(*address)
    listener.kill()
    with contextlib.suppress(ConnectionResetError):
        assert not await reader.read()
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)
    listener.reopen()
    _, writer = await asyncio.open_connection(*address)
    writer.close()
    await listener.stop()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)


@pytest.mark.asyncio
async def test_a_listener_that_is_killed_before_it_has_opened_stays_closed() -> None:
    listener = listener_on(asyncio.get_running_loop())
    sock = bind("127.0.0.1", 0)
    address = sock.getsockname()
    await listener.start(sock)
    listener.kill()
    listener.reopen()
    listener.kill()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)
    listener.reopen()
    await listener.stop()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*address)


@pytest.mark.asyncio
async def test_a_port_that_was_taken_in_the_meantime_cannot_be_reopened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listener = listener_on(asyncio.get_running_loop())
    sock = bind("127.0.0.1", 0)
    await listener.start(sock)

    def taken(_host: str, _port: int) -> socket.socket:
        raise OSError("taken")

    monkeypatch.setattr("mockbroker.server.listener.bind", taken)
    listener.kill()
    with pytest.raises(OSError, match="taken"):
        listener.reopen()
    await listener.stop()


def test_a_connection_of_an_earlier_opening_is_aborted() -> None:
    brokers = Brokers()
    listener = brokers.listeners[1]
    late = brokers.connect()
    assert not late.transport.is_closing()
    listener.life += 1
    late.connection.connection_made(late.transport)
    assert late.transport.is_closing()

"""A port of this machine whose connections are continued in a container's network namespace."""

import asyncio
import contextlib
import ctypes
import os
import socket
import threading
from typing import Final, Self

_NETWORK: Final = 0x40000000  # CLONE_NEWNET; os.setns is newer than Python 3.11
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


class PublishedPort:
    """A listener on 127.0.0.1 in front of a port of a container, as Docker's proxy."""

    def __init__(self, process_id: int, inner: int) -> None:
        """Forward to a port of the process's namespace."""
        self._namespace = os.open(f"/proc/{process_id}/ns/net", os.O_RDONLY)
        self._inner = inner
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self, port: int) -> Self:
        """Listen on a port, or on a free one for 0."""
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def close(self) -> None:
        """Listen no more."""
        assert self._server is not None
        self._server.close()
        os.close(self._namespace)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            inside = await asyncio.to_thread(_socket_in, self._namespace)
            await asyncio.get_running_loop().sock_connect(inside, ("127.0.0.1", self._inner))
            inner_reader, inner_writer = await asyncio.open_connection(sock=inside)
            await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))
        writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    writer.close()


def _socket_in(namespace: int) -> socket.socket:
    """Make a socket in a network namespace, in which it stays."""
    made: list[socket.socket] = []

    def enter_and_make() -> None:
        """Run in a thread of its own, which ends in that namespace."""
        if _LIBC.setns(namespace, _NETWORK) == 0:
            made.append(socket.socket())

    thread = threading.Thread(target=enter_and_make)
    thread.start()
    thread.join()
    if not made:
        raise OSError("there is no network namespace to enter")
    made[0].setblocking(False)
    return made[0]

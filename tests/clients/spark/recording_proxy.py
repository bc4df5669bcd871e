"""TCP proxy in front of a broker that records the header of each request."""

import socket
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from tests.clients.spark.asked import Asking

_RECEIVE_MAX: Final = 1 << 16


class RecordingProxy:
    """Proxy on a free port of the loopback; `forward_to` sets its target."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._broker: tuple[str, int] | None = None
        self._askings: list[Asking] = []
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Port of the proxy."""
        port: int = self._listener.getsockname()[1]
        return port

    def forward_to(self, port: int) -> None:
        """Take connections to a port of the loopback from now on."""
        self._broker = ("127.0.0.1", port)

    def askings(self) -> list[Asking]:
        """Return the requests since the last call, or since the start."""
        askings, self._askings = self._askings, []
        return askings

    def close(self) -> None:
        """Take no more connections, and end those that there are."""
        for each in (self._listener, *self._connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._listener.accept()
                assert self._broker is not None, "nobody has said where to"
                broker = socket.create_connection(self._broker)
                self._connections += [client, broker]
                for one in (client, broker):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._ask, args=(client, broker), daemon=True).start()
                threading.Thread(target=_pass_on, args=(broker, client), daemon=True).start()

    def _ask(self, client: socket.socket, broker: socket.socket) -> None:
        unparsed = b""
        with suppress(OSError):
            while received := client.recv(_RECEIVE_MAX):
                unparsed = self._record(unparsed + received)
                broker.sendall(received)
            broker.shutdown(socket.SHUT_WR)

    def _record(self, unparsed: bytes) -> bytes:
        """Record the complete requests, and return the remaining bytes."""
        while len(unparsed) >= 4:
            end = 4 + int(struct.unpack_from(">i", unparsed)[0])
            if len(unparsed) < end:
                break
            api_key, version, _, size = struct.unpack_from(">hhih", unparsed, 4)
            client_id = unparsed[14 : 14 + max(size, 0)].decode()
            self._askings.append(Asking(client_id, ApiKey(api_key).title, version))
            unparsed = unparsed[end:]
        return unparsed


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while received := source.recv(_RECEIVE_MAX):
            target.sendall(received)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def recording_proxy() -> Generator[RecordingProxy]:
    """A proxy that is closed at the end."""
    proxy = RecordingProxy()
    try:
        yield proxy
    finally:
        proxy.close()

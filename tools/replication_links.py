"""Connections between brokers, which a script cuts to stop a replica from following its leader.

Each broker advertises a port of these links to the others. A link passes whole requests and
responses on; while a broker is cut off, its fetchers' connections are closed and refused, so that
it lags at a definite offset although it lives and answers everybody else.
"""

import contextlib
import re
import socket
import struct
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

_SIZE: Final = struct.Struct(">i")
_CLIENT_ID_AT: Final = 8
_FETCHER: Final = re.compile(rb"broker-(\d+)-fetcher-")
"""The client ids of the connections on which a broker fetches as a follower."""


class _ClosedError(Exception):
    """The other side has closed a connection."""


@dataclass(slots=True, eq=False)
class _Link:
    """One connection through the links."""

    client: socket.socket
    server: socket.socket
    port: int
    """The port that was connected to."""
    follower: int = 0
    """The broker that fetches on it, or 0 for any other use."""
    requests: int = 0
    is_open: bool = True

    def close(self) -> None:
        """Close both ends."""
        self.is_open = False
        for each in (self.client, self.server):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@dataclass(slots=True)
class ReplicationLinks:
    """Ports that lead to the brokers' listeners for replication; use it as a context manager."""

    ports: Mapping[int, int]
    """The port of each listener, by the port that its broker advertises."""
    cut_off: set[int] = field(default_factory=set[int])
    """The brokers that do not follow."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _links: list[_Link] = field(default_factory=list[_Link])
    _listening: list[socket.socket] = field(default_factory=list[socket.socket])

    def __enter__(self) -> Self:
        """Listen on all ports."""
        for port, target in self.ports.items():
            listening = socket.create_server(("127.0.0.1", port))
            self._listening.append(listening)
            self._run(self._accept, listening, port, target)
        return self

    def __exit__(self, *_: object) -> None:
        """Close everything."""
        for listening in self._listening:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        with self._lock:
            for link in self._links:
                link.close()

    def cut(self, broker: int) -> None:
        """Stop a broker's fetches: nothing that is on its way arrives any more."""
        with self._lock:
            self.cut_off.add(broker)
            for link in self._links:
                if link.follower == broker:
                    link.close()

    def restore(self, broker: int) -> None:
        """Let a broker fetch again."""
        with self._lock:
            self.cut_off.discard(broker)

    def await_rounds(
        self, pairs: Collection[tuple[int, int]], rounds: int, timeout_s: float = 60.0
    ) -> None:
        """Wait until followers have sent more requests; a pair is a follower and a leader's port.

        Raises: TimeoutError.
        """
        before = {link: link.requests for link in self._links}
        deadline = time.monotonic() + timeout_s
        while not all(self._has_gone_round(pair, before, rounds) for pair in pairs):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {rounds} rounds in {timeout_s} s: {pairs}")
            time.sleep(0.01)

    def _has_gone_round(
        self, pair: tuple[int, int], before: Mapping[_Link, int], rounds: int
    ) -> bool:
        return any(
            link.requests >= before.get(link, 0) + rounds
            for link in self._links
            if link.is_open and (link.follower, link.port) == pair
        )

    def _run(self, target: object, *arguments: object) -> None:
        assert callable(target)
        threading.Thread(target=target, args=arguments, daemon=True).start()

    def _accept(self, listening: socket.socket, port: int, target: int) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", target))
            except OSError:
                client.close()
                continue
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = _Link(client, server, port)
            with self._lock:
                self._links = [each for each in self._links if each.is_open]
                self._links.append(link)
            self._run(self._pass_on, link, client, server)
            self._run(self._pass_on, link, server, client)

    def _pass_on(self, link: _Link, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError, _ClosedError):
            while True:
                frame = _read_frame(source)
                if source is link.client:
                    link.follower = link.follower if link.requests else _follower_of(frame)
                    link.requests += 1
                if self._is_cut_off(link):
                    break
                sink.sendall(frame)
        with self._lock:
            link.close()

    def _is_cut_off(self, link: _Link) -> bool:
        with self._lock:
            return link.follower in self.cut_off


def _read_frame(source: socket.socket) -> bytes:
    head = _read(source, _SIZE.size)
    return head + _read(source, *_SIZE.unpack(head))


def _read(source: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = source.recv(size - len(data))
        if not part:
            raise _ClosedError
        data += part
    return bytes(data)


def _follower_of(request: bytes) -> int:
    """Return the broker whose fetcher sends a request, or 0."""
    start = _SIZE.size + _CLIENT_ID_AT
    (length,) = struct.unpack_from(">h", request, start)
    found = _FETCHER.match(request[start + 2 : start + 2 + max(length, 0)])
    return int(found[1]) if found else 0

"""Toxics between the transport and the protocol object of a connection.

To each of the two, the path stands for the other, so that a connection without toxics has no
overhead. Both sides behave as without it: bytes stay in order, and a close comes after the bytes.
"""

import asyncio
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from mockbroker.faults.network.toxic import Ending, Stage, Stream
from mockbroker.faults.network.toxic_link import ToxicLink
from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mockbroker.broker.client_connection import ClientConnection

RECEIVE_BYTES: Final = 64 * 1024
PAUSE_ABOVE_BYTES: Final = 1024 * 1024
"""Maximum number of bytes in transit to the broker before the client has to wait."""

_LINGER_NOT: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class ToxicPath(asyncio.BufferedProtocol, asyncio.Transport):
    """The two directions of one connection."""

    def __init__(
        self,
        connection: "ClientConnection",
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_over: Callable[["ClientConnection"], None],
    ) -> None:
        """Connect a protocol object and its transport; call `is_over` at the end."""
        super().__init__()
        self._connection: Final = connection
        self._transport: Final = transport
        self._over: Final = is_over
        self._received: Final = bytearray(RECEIVE_BYTES)
        self._closing = False
        self._is_read_paused = False
        self._links: Final[dict[Stream, ToxicLink]] = {
            "upstream": ToxicLink(loop, self._arrive, self._upstream_ended),
            "downstream": ToxicLink(loop, transport.write, self._end),
        }
        transport.set_protocol(self)
        connection.use_transport(self)

    @property
    def has_toxics(self) -> bool:
        """True if there is any toxic."""
        return any(link.has_stages for link in self._links.values())

    def add(self, key: object, stream: Stream, stage: Stage) -> None:
        """Add a toxic to a direction."""
        self._links[stream].add(key, stage)

    def remove(self, key: object) -> None:
        """Remove a toxic, and deliver its bytes in transit at once."""
        for link in self._links.values():
            link.remove(key)

    def leave(self) -> None:
        """Connect the two directly again."""
        for link in self._links.values():
            link.flush()
            link.close()
        if not self._transport.is_closing():
            self._transport.set_protocol(self._connection)
            self._connection.use_transport(self._transport)

    # Called by the transport

    def get_buffer(self, sizehint: int) -> memoryview:
        """Receive into the path's own buffer."""
        return memoryview(self._received)

    def buffer_updated(self, nbytes: int) -> None:
        """Pass on bytes from the client."""
        link = self._links["upstream"]
        link.feed(bytes(self._received[:nbytes]))
        if link.queued_bytes > PAUSE_ABOVE_BYTES and not self._transport.is_closing():
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        """Pass on the client's end of file, after its bytes."""
        self._links["upstream"].end()
        return True

    def pause_writing(self) -> None:
        """Pass the call on."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Pass the call on."""
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the bytes in transit."""
        for link in self._links.values():
            link.close()
        self._over(self._connection)
        self._connection.connection_lost(exc)

    # Called by the connection

    def write(self, data: Buffer) -> None:
        """Pass on bytes from the broker."""
        if not self._closing:
            self._links["downstream"].feed(bytes(data))

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        """Pass on bytes in one piece, as they would be sent."""
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        """Close the connection after the written bytes."""
        if not self._closing:
            self._closing = True
            self._links["downstream"].end()

    def abort(self) -> None:
        """Close the connection at once."""
        self._closing = True
        for link in self._links.values():
            link.close()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Return whether the broker has closed the connection, perhaps unseen by its client."""
        return self._closing or self._transport.is_closing()

    def pause_reading(self) -> None:
        """Stop reading from the client."""
        self._is_read_paused = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Resume reading, unless too many bytes are in transit."""
        self._is_read_paused = False
        self._read_on()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the transport's information."""
        return self._transport.get_extra_info(name, default)

    # At the end of a direction

    def _arrive(self, data: bytes) -> None:
        """Deliver bytes to the connection as a transport does."""
        view = memoryview(data)
        while view and not self.is_closing():
            room = self._connection.get_buffer(-1)
            part = view[: len(room)]
            room[: len(part)] = part
            view = view[len(part) :]
            self._connection.buffer_updated(len(part))
        self._read_on()

    def _read_on(self) -> None:
        has_room = self._links["upstream"].queued_bytes <= PAUSE_ABOVE_BYTES
        if has_room and not self._is_read_paused and not self._transport.is_closing():
            self._transport.resume_reading()

    def _upstream_ended(self, ending: Ending) -> None:
        if ending is Ending.RESET:
            self._end(ending)
        elif not self._connection.eof_received():
            self.close()

    def _end(self, ending: Ending) -> None:
        self._closing = True
        if ending is Ending.CLOSE:
            self._transport.close()
            return
        sock = self._transport.get_extra_info("socket")
        if sock is not None:  # closed without lingering, a connection is reset
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._transport.abort()

"""Transport without a socket: it stores the written bytes, or simulates a slow reader."""

import asyncio
from collections.abc import Iterable
from typing import Final

HIGH_WATER_BYTES: Final = 64 * 1024
PEER: Final = ("192.0.2.7", 50_123)


class FakeTransport(asyncio.Transport):
    """Transport that pauses its protocol as asyncio's do, and closes when all bytes are sent."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.BufferedProtocol) -> None:
        super().__init__({"peername": PEER})
        self._loop = loop
        self._protocol = protocol
        self.written = bytearray()
        """What the client has read."""
        self.unread = bytearray()
        """What is written and not read; with a client that reads nothing stays here."""
        self.client_reads = True
        self.is_reading_paused = False
        self.is_lost = False
        self._is_closing = False
        self._is_protocol_paused = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Set the protocol that receives the connection's events."""
        assert isinstance(protocol, asyncio.BufferedProtocol)
        self._protocol = protocol

    @property
    def protocol(self) -> asyncio.BufferedProtocol:
        """Protocol that receives the connection's events."""
        return self._protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Accept bytes from the connection."""
        assert not self._is_closing, "written after the close"
        if self.client_reads:
            self.written += data
            return
        self.unread += data
        if len(self.unread) > HIGH_WATER_BYTES and not self._is_protocol_paused:
            self._is_protocol_paused = True
            self._protocol.pause_writing()

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Accept several buffers from the connection."""
        for data in list_of_data:
            self.write(data)

    def drain(self, *, keeps_reading: bool = True) -> None:
        """Let the client read all unread bytes and all later ones."""
        self.client_reads = keeps_reading
        self.written += self.unread
        self.unread.clear()
        if self._is_protocol_paused:
            self._is_protocol_paused = False
            self._protocol.resume_writing()
        if self._is_closing and not self.unread:
            self._lose()

    def pause_reading(self) -> None:
        """Stop reading from the client."""
        assert not self.is_reading_paused
        self.is_reading_paused = True

    def resume_reading(self) -> None:
        """Read from the client again."""
        self.is_reading_paused = False

    def is_closing(self) -> bool:
        """Return whether the connection is being closed."""
        return self._is_closing

    def close(self) -> None:
        """Close the connection when the client has read everything."""
        if not self._is_closing:
            self._is_closing = True
            if not self.unread:
                self._loop.call_soon(self._lose)

    def abort(self) -> None:
        """Close the connection at once."""
        self._is_closing = True
        self.unread.clear()
        self._loop.call_soon(self._lose)

    def vanish(self) -> None:
        """Lose the connection at once, as after a reset by the client."""
        self._is_closing = True
        self.unread.clear()
        self._lose()

    def _lose(self) -> None:
        if not self.is_lost:
            self.is_lost = True
            self._protocol.connection_lost(None)

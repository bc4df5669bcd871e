"""The other end of a connection without a socket: it keeps what is written, or does not read it."""

import asyncio
from collections.abc import Iterable
from typing import Final

HIGH_WATER_BYTES: Final = 64 * 1024
PEER: Final = ("192.0.2.7", 50_123)


class FakeTransport(asyncio.Transport):
    """A transport as asyncio's are: it pauses its protocol, and closes once all has gone out."""

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
        """Have another one told."""
        assert isinstance(protocol, asyncio.BufferedProtocol)
        self._protocol = protocol

    @property
    def protocol(self) -> asyncio.BufferedProtocol:
        """Who is told of what comes."""
        return self._protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take what the connection says."""
        assert not self._is_closing, "written after the close"
        if self.client_reads:
            self.written += data
            return
        self.unread += data
        if len(self.unread) > HIGH_WATER_BYTES and not self._is_protocol_paused:
            self._is_protocol_paused = True
            self._protocol.pause_writing()

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Take several parts."""
        for data in list_of_data:
            self.write(data)

    def drain(self, *, keeps_reading: bool = True) -> None:
        """Let the client read all that is waiting, and from now on."""
        self.client_reads = keeps_reading
        self.written += self.unread
        self.unread.clear()
        if self._is_protocol_paused:
            self._is_protocol_paused = False
            self._protocol.resume_writing()
        if self._is_closing and not self.unread:
            self._lose()

    def pause_reading(self) -> None:
        """Take no more from the client."""
        assert not self.is_reading_paused
        self.is_reading_paused = True

    def resume_reading(self) -> None:
        """Take from the client again."""
        self.is_reading_paused = False

    def is_closing(self) -> bool:
        """Tell whether the connection hung up."""
        return self._is_closing

    def close(self) -> None:
        """Hang up when everything is read."""
        if not self._is_closing:
            self._is_closing = True
            if not self.unread:
                self._loop.call_soon(self._lose)

    def abort(self) -> None:
        """Hang up at once."""
        self._is_closing = True
        self.unread.clear()
        self._loop.call_soon(self._lose)

    def vanish(self) -> None:
        """Be gone at once, as after a reset by the client."""
        self._is_closing = True
        self.unread.clear()
        self._lose()

    def _lose(self) -> None:
        if not self.is_lost:
            self.is_lost = True
            self._protocol.connection_lost(None)

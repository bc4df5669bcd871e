"""TLS between a connection and its socket.

The event loops have TLS, too, but close without an alert when a handshake fails: a client cannot
see then that its certificate was refused, and tries again for ever. Python's `ssl` does the
protocol here; this module moves the bytes.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from mockbroker.events import logging
from mockbroker.server.tls.handshake_failure import (
    INTERNAL_ERROR,
    is_not_tls,
    why_handshake_failed,
)

if TYPE_CHECKING:
    from mockbroker.server.tls.listener_tls import ListenerTls

RECEIVE_BYTES: Final = 256 * 1024
READ_BYTES: Final = 16 * 1024
"""A record of TLS has at most so much."""
_HANDSHAKE_MAX_BYTES: Final = 256 * 1024
"""More, without the end of a handshake, comes from no client."""
_PRINCIPAL: Final = "principal"
_receive_view: Final = memoryview(bytearray(RECEIVE_BYTES))


class TlsTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """Transport of a connection, and protocol of the socket's own transport."""

    def __init__(
        self,
        connection: asyncio.BufferedProtocol,
        tls: "ListenerTls",
        loop: asyncio.AbstractEventLoop,
        new_context: Callable[[], ssl.SSLContext],
        is_late: Callable[[], bool],
    ) -> None:
        """Serve a connection, which is made when the handshake has succeeded.

        `is_late` returns True if the port was closed after the accept.
        """
        super().__init__()
        self._protocol = connection
        self._tls: Final = tls
        self._loop: Final = loop
        self._new_context: Final = new_context
        self._is_late: Final = is_late
        self._incoming: Final = ssl.MemoryBIO()
        self._outgoing: Final = ssl.MemoryBIO()
        self._ssl: ssl.SSLObject | None = None
        self._raw: asyncio.Transport | None = None
        self._principal: str | None = None
        self._is_made = False
        self._is_reading = True
        self._is_closing = False
        self._received_bytes = 0
        self._has_ended = False

    # Protocol of the socket's transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        self._raw = cast("asyncio.Transport", transport)
        self._ssl = self._new_context().wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._tls.handshaking.add(self)
        if self._is_late():
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the connection, if it was made."""
        self._tls.handshaking.discard(self)
        self._is_closing = True
        if self._is_made:
            self._protocol.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer that all connections share, as it is emptied at once."""
        return _receive_view

    def buffer_updated(self, nbytes: int) -> None:
        """Take encrypted bytes: a part of the handshake, or records."""
        self._incoming.write(_receive_view[:nbytes])
        if self._is_closing:
            return
        if not self._is_made:
            self._received_bytes += nbytes
            self._shake_hands()
        if self._is_made:
            self._read()

    def eof_received(self) -> bool:
        """Let the socket close, unless the connection has something to send."""
        return self._is_made and not self._is_closing and self._ended()

    def _ended(self) -> bool:
        """Tell the connection once that nothing comes any more."""
        if self._has_ended:
            return True
        self._has_ended = True
        return bool(self._protocol.eof_received())

    def pause_writing(self) -> None:
        """Tell the connection that the client does not read."""
        if self._is_made:
            self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Tell the connection that the client reads again."""
        if self._is_made:
            self._protocol.resume_writing()

    # Handshake and records.

    def _shake_hands(self) -> None:
        assert self._ssl is not None
        try:
            self._ssl.do_handshake()
            self._principal = self._tls.principal(self._ssl)
        except ssl.SSLWantReadError:
            self._flush()
            if self._received_bytes > _HANDSHAKE_MAX_BYTES:
                self._fail("the handshake has no end")
            return
        except ssl.SSLError as error:
            if is_not_tls(error) and not self._outgoing.pending:
                self._outgoing.write(INTERNAL_ERROR)
            self._fail(why_handshake_failed(error))
            return
        except ValueError as error:
            self._fail(str(error))
            return
        self._flush()
        self._tls.handshaking.discard(self)
        self._is_made = True
        self._protocol.connection_made(self)

    def _read(self) -> None:
        """Decrypt into the buffer of the connection whatever has arrived."""
        assert self._ssl is not None
        while self._may_read():
            room = self._protocol.get_buffer(-1)
            size_bytes, problem = self._decrypt(self._ssl, cast("memoryview", room))
            if size_bytes:
                self._protocol.buffer_updated(size_bytes)
            if isinstance(problem, ssl.SSLWantReadError):
                self._flush()
                return
            if isinstance(problem, ssl.SSLZeroReturnError):
                if not self._ended():
                    self.close()
                return
            if problem is not None:
                self._fail(why_handshake_failed(problem))

    @staticmethod
    def _decrypt(source: ssl.SSLObject, room: memoryview) -> tuple[int, ssl.SSLError | None]:
        """Fill the room; return how far, and what ended it before it was full."""
        size_bytes, capacity_bytes = 0, len(room)
        try:
            while size_bytes < capacity_bytes:
                # The stub wants a bytearray; any writable buffer will do.
                part = cast("bytearray", room[size_bytes:])
                count = source.read(min(READ_BYTES, len(part)), part)
                if not count:
                    return size_bytes, ssl.SSLZeroReturnError()
                size_bytes += int(count)
        except ssl.SSLError as error:
            return size_bytes, error
        return size_bytes, None

    def _fail(self, why: str) -> None:
        """Send the alert that has been prepared, and close.

        As in Kafka, it closes a little later: a socket with bytes that were not read would close
        with a reset, and the client would not see the alert.
        """
        peer = self.get_extra_info("peername")
        logging.warning("tls_failed", why=why, peer=":".join(map(str, peer[:2])) if peer else None)
        self._flush()
        self._is_closing = True
        if self._raw is not None:
            self._loop.call_later(self._tls.failure_delay_s, self._raw.close)

    def _flush(self) -> None:
        if self._raw is not None and self._outgoing.pending:
            self._raw.write(self._outgoing.read())

    # Transport of the connection.

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Replace the connection: toxics come between the two."""
        self._protocol = cast("asyncio.BufferedProtocol", protocol)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send."""
        self._encrypt(data)
        self._flush()

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        """Encrypt and send the parts."""
        for data in list_of_data:
            self._encrypt(data)
        self._flush()

    def _encrypt(self, data: bytes | bytearray | memoryview) -> None:
        if self._is_closing or self._ssl is None:
            return
        view = memoryview(data).cast("B")
        while view:
            view = view[self._ssl.write(view) :]

    def close(self) -> None:
        """Send what was written and the notice of the end, and close."""
        if self._is_closing or self._ssl is None:
            return
        with suppress(ssl.SSLError, OSError):  # to wait for the client's own notice is not needed
            self._ssl.unwrap()
        self._flush()
        self._is_closing = True
        if self._raw is not None:
            self._raw.close()

    def abort(self) -> None:
        """Close at once."""
        self._is_closing = True
        if self._raw is not None:
            self._raw.abort()

    def is_closing(self) -> bool:
        """Return True from the beginning of the end on."""
        return self._is_closing or self._raw is None or self._raw.is_closing()

    def pause_reading(self) -> None:
        """Decrypt no more, and read no more from the socket."""
        self._is_reading = False
        if self._raw is not None:
            self._raw.pause_reading()

    def resume_reading(self) -> None:
        """Go on with what has arrived, then read from the socket."""
        self._is_reading = True
        self._loop.call_soon(self._read_rest)

    def _read_rest(self) -> None:
        if not self._may_read():
            return
        self._read()
        if self._raw is not None and self._may_read():
            self._raw.resume_reading()

    def _may_read(self) -> bool:
        return self._is_reading and not self._is_closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return facts about the connection: those of its socket, and `principal`."""
        if name == _PRINCIPAL:
            return default if self._principal is None else self._principal
        return default if self._raw is None else self._raw.get_extra_info(name, default)

"""Client with TLS over a transport without a socket."""

import ssl
from contextlib import suppress
from functools import cache
from typing import Final

from mockbroker.server.connection import RECEIVE_BYTES
from mockbroker.server.listener import ListenerSecurity
from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.listener_tls import ListenerTls
from mockbroker.server.tls.tls_transport import TlsTransport
from mockbroker.settings.listener_settings import ListenerSettings, SecurityProtocol
from tests.support.fake_transport import FakeTransport
from tests.support.in_process import Brokers, PortlessListener, frames_in

SSL: Final = ListenerSettings("SSL", "127.0.0.1", 0, "127.0.0.1", 0, SecurityProtocol.SSL)


def listen_with_tls(brokers: Brokers) -> ListenerTls:
    """Let broker 1 listen with TLS, by its configs, with a certificate of this process."""
    issued = process_authority().broker_certificate([])
    tls = ListenerTls(brokers.state.configs, SSL, 1, issued)
    brokers.listeners[1] = PortlessListener(
        brokers.service, 1, bytearray(RECEIVE_BYTES), "SSL", ListenerSecurity(tls)
    )
    return tls


@cache
def shared_context() -> ssl.SSLContext:
    """Return one context for all peers: to make one takes a quarter of a handshake."""
    return client_context()


def client_context() -> ssl.SSLContext:
    """Return a context that trusts the authority of this process."""
    return ssl.create_default_context(cadata=process_authority().ca_pem)


class TlsPeer:
    """Client of a listener with TLS, which can also send what no client sends."""

    def __init__(self, brokers: Brokers, context: ssl.SSLContext | None = None) -> None:
        self._loop = brokers.loop
        tls = brokers.listeners[1].security.tls
        assert tls is not None
        self.handshaking: Final = tls.handshaking
        """Connections of the listener whose handshake has not ended."""
        protocol = brokers.listeners[1].new_connection(brokers.listeners[1].life)
        assert isinstance(protocol, TlsTransport)
        self.tls = protocol
        self.transport = FakeTransport(brokers.loop.as_loop, protocol)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._taken = 0
        self.received = bytearray()
        context = shared_context() if context is None else context
        self.ssl = context.wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        protocol.connection_made(self.transport)

    def shake_hands(self) -> None:
        """Do the whole handshake.

        Raises:
            SSLError: the client or the broker refused it.

        """
        while True:
            try:
                self.ssl.do_handshake()
            except ssl.SSLWantReadError:
                self.exchange()
            else:
                self.exchange()
                return

    def flight(self) -> bytes:
        """Begin the handshake, and return the first bytes of it without delivering them."""
        with suppress(ssl.SSLWantReadError):
            self.ssl.do_handshake()
        return self._outgoing.read()

    def exchange(self) -> None:
        """Deliver what the client has written, and what the broker answers."""
        self.deliver(self._outgoing.read())
        self._incoming.write(self._new_bytes())

    def deliver(self, data: bytes, piece_bytes: int = 1 << 18) -> None:
        """Deliver bytes as they come from the network, in pieces."""
        for start in range(0, len(data), piece_bytes):
            if self.transport.is_closing() or self.transport.is_reading_paused:
                return
            piece = data[start : start + piece_bytes]
            room = memoryview(self.transport.protocol.get_buffer(-1))
            room[: len(piece)] = piece
            self.transport.protocol.buffer_updated(len(piece))
        self._loop.run()

    def send(self, data: bytes) -> None:
        """Encrypt and deliver."""
        self.ssl.write(data)
        self.exchange()

    def encrypted(self, data: bytes) -> bytes:
        """Encrypt without delivering."""
        self.ssl.write(data)
        return self._outgoing.read()

    def frames(self) -> list[bytes]:
        """Decrypt what came, and return the frames."""
        self.exchange()
        with suppress(ssl.SSLWantReadError):
            while part := self.ssl.read(1 << 18):
                self.received += part
        frames = frames_in(self.received)
        self.received.clear()
        return frames

    def read(self) -> bytes:
        """Decrypt some bytes.

        Raises:
            SSLError: an alert came, or nothing.

        """
        self.exchange()
        return self.ssl.read(1 << 18)

    def _new_bytes(self) -> bytes:
        self._loop.run()
        taken = bytes(self.transport.written[self._taken :])
        self._taken = len(self.transport.written)
        return taken

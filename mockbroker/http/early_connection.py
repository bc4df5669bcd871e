"""Connections to the HTTP API that arrive before the web framework is imported.

The import takes longer than the start of a cluster, and most runs never need it. So the port
listens with this module only. The first connection starts the import on another thread, while the
brokers continue to serve.
"""

import asyncio
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mockbroker.http.admin_port import AdminPort


class EarlyConnection(asyncio.Protocol):
    """A connection that came before the application was there."""

    def __init__(self, port: "AdminPort") -> None:
        """Wait for the application of a port."""
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._received: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the import of the application."""
        self._transport = cast("asyncio.Transport", transport)
        self._port.arrived(self)

    def data_received(self, data: bytes) -> None:
        """Buffer the received bytes, and pause reading."""
        self._received.append(data)
        assert self._transport is not None
        self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._transport = None
        self._port.left(self)

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """Pass the connection to the application's protocol."""
        transport = self._transport
        assert transport is not None
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._received:
            transport.resume_reading()
        for data in self._received:
            protocol.data_received(data)

    def abort(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.abort()

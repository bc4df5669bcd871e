"""Connections to the HTTP API that arrive before the web framework is imported.

To import it takes longer than to start a cluster, and most runs never use it. So a port listens
with no more than this module, and the import happens at the first connection, on a thread of its
own, while the brokers go on.
"""

import asyncio
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mockbroker.http.admin_port import AdminPort


class EarlyConnection(asyncio.Protocol):
    """A connection that came before the application was there."""

    def __init__(self, port: "AdminPort") -> None:
        """Wait at a port."""
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._received: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Have the application imported."""
        self._transport = cast("asyncio.Transport", transport)
        self._port.arrived(self)

    def data_received(self, data: bytes) -> None:
        """Keep what comes, and have no more of it."""
        self._received.append(data)
        assert self._transport is not None
        self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._transport = None
        self._port.left(self)

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """Give the connection to who can answer."""
        transport = self._transport
        assert transport is not None
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._received:
            transport.resume_reading()
        for data in self._received:
            protocol.data_received(data)

    def abort(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

"""Interfaces of client connections, their watchers and busy polling, which `server` implements."""

import asyncio
from abc import abstractmethod
from typing import Protocol


class KnownClient(Protocol):
    """What a connection knows of its client."""

    broker_id: int
    """The broker to which the client is connected."""
    listener: str
    client_id: str | None
    """Client id of the last request on the general path."""

    @property
    def principal(self) -> str:
        """The client's principal, such as `User:alice`."""
        ...

    def expire_session(self, now_ms: int) -> bool:
        """End the session of a client that authenticated by SASL; return whether it had one."""
        ...


class ClientConnection(asyncio.BufferedProtocol):
    """A client's connection to one broker; `server` implements it."""

    connection_id: int
    request_path: "KnownClient"
    """The pipeline of its requests, and what it knows of the client."""

    @property
    @abstractmethod
    def transport(self) -> asyncio.Transport | None:
        """The transport of the responses; None while there is no connection."""

    @abstractmethod
    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes."""

    @abstractmethod
    def use_transport(self, transport: asyncio.Transport) -> None:
        """Write to another transport from now on."""


class ConnectionWatcher(Protocol):
    """Applies network faults to the bytes of connections."""

    def connection_came(self, connection: ClientConnection) -> None:
        """Check a connection: when it is made, and when its client id is known."""
        ...


class BusyPolling(Protocol):
    """Keeps the event loop awake between requests that follow closely."""

    def request_came(self, *, ends_transaction: bool = False) -> None:
        """Note a request that has been answered."""
        ...

"""Values that show the connections of clients."""

from collections.abc import Iterable
from typing import NamedTuple

from mockbroker.broker.client_connection import ClientConnection


class ConnectionInfo(NamedTuple):
    """A connection of a client to a broker."""

    connection: int
    """Number of the connection in the cluster, from 1."""
    broker: int
    listener: str
    client_id: str | None
    """Client id of its last request on the general path."""
    principal: str


def connection_infos(connections: Iterable[ClientConnection]) -> list[ConnectionInfo]:
    """Show connections, the oldest first."""
    shown = [
        ConnectionInfo(
            each.connection_id,
            each.request_path.broker_id,
            each.request_path.listener,
            each.request_path.client_id,
            each.request_path.principal,
        )
        for each in connections
    ]
    return sorted(shown)

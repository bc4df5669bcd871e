"""Documents of the connections of clients."""

from collections.abc import Iterable

from mockbroker.broker.client_connection import ClientConnection
from mockbroker.faults.documents.strict import View


class ConnectionRow(View):
    """A connection of a client."""

    connection: int
    """Number of the connection in the cluster, from 1."""
    broker: int
    listener: str
    client_id: str | None
    """Client id of its last request on the general path."""
    principal: str


def connection_rows(connections: Iterable[ClientConnection]) -> list[ConnectionRow]:
    """Show connections, the oldest first."""
    return [
        ConnectionRow(
            connection=each.connection_id,
            broker=each.request_path.broker_id,
            listener=each.request_path.listener,
            client_id=each.request_path.client_id,
            principal=each.request_path.principal,
        )
        for each in sorted(connections, key=lambda each: each.connection_id)
    ]

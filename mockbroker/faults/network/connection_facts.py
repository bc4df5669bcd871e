"""What a rule may ask of a connection."""

from typing import NamedTuple


class ConnectionFacts(NamedTuple):
    """One connection, as selectors see it."""

    connection: int
    broker: int
    client_id: str | None

    def __str__(self) -> str:
        """Name the connection."""
        return f"connection {self.connection} of client {self.client_id!r} to broker {self.broker}"

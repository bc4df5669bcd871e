"""A broker as its cluster knows it: where clients find it, and what has become of it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self


class Broker(NamedTuple):
    """A broker as clients see it; the port is 0 until its listener is open."""

    node_id: int
    host: str
    port: int
    rack: str | None = None
    others: Mapping[str, tuple[str, int]] = {}
    """Host and port for clients that come by other listeners than the main one, by their names."""

    def seen_from(self, listener: str) -> Self:
        """Return the broker as clients see it that come by a listener."""
        address = self.others.get(listener)
        return self if address is None else self._replace(host=address[0], port=address[1])


class BrokerState(StrEnum):
    """Whether a broker takes part in its cluster."""

    RUNNING = "running"
    KILLED = "killed"
    """Its process is gone: nobody reaches it, and its logs are on its disk."""
    ISOLATED = "isolated"
    """Clients reach it, and neither the controller nor other brokers do."""

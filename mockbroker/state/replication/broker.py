"""A broker's endpoints and its state in the cluster."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self


class Broker(NamedTuple):
    """A broker in Metadata; the port is 0 until its listener is open."""

    node_id: int
    host: str
    port: int
    rack: str | None = None
    others: Mapping[str, tuple[str, int]] = {}
    """Host and port for clients of other listeners than the main one, by listener name."""

    def seen_from(self, listener: str) -> Self:
        """Return the broker with the endpoint for clients of a listener."""
        address = self.others.get(listener)
        return self if address is None else self._replace(host=address[0], port=address[1])


class BrokerState(StrEnum):
    """The state of a broker in its cluster."""

    RUNNING = "running"
    KILLED = "killed"
    """The process has ended: the broker is unreachable, and its logs are on its disk."""
    STOPPED = "stopped"
    """The process has ended in a controlled way, after it wrote its checkpoints and snapshots."""
    ISOLATED = "isolated"
    """Clients reach the broker, but the controller and other brokers do not."""

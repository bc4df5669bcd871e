"""A broker as its cluster knows it: where clients find it, and what has become of it."""

from enum import StrEnum
from typing import NamedTuple


class Broker(NamedTuple):
    """A broker as clients see it; the port is 0 until its listener is open."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


class BrokerState(StrEnum):
    """Whether a broker takes part in its cluster."""

    RUNNING = "running"
    KILLED = "killed"
    """Its process is gone: nobody reaches it, and its logs are on its disk."""
    ISOLATED = "isolated"
    """Clients reach it, and neither the controller nor other brokers do."""

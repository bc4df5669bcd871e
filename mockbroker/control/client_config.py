"""Connection settings for each client library."""

from collections.abc import Callable, Mapping
from typing import Any, Final

_CONNECT: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "confluent": lambda servers: {"bootstrap.servers": servers},
    "aiokafka": lambda servers: {"bootstrap_servers": servers},
    "kafka-python": lambda servers: {"bootstrap_servers": servers.split(",")},
    "java": lambda servers: {"bootstrap.servers": servers},
    "spark": lambda servers: {"kafka.bootstrap.servers": servers},
}

CLIENTS: Final = tuple(_CONNECT)


def client_config(client: str, bootstrap_servers: str, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with which a client library connects to a cluster, plus `extra`.

    Raises:
        ValueError: no such client is known.

    """
    connect = _CONNECT.get(client)
    if connect is None:
        raise ValueError(f"client {client!r} is unknown; the clients are {', '.join(CLIENTS)}")
    return connect(bootstrap_servers) | dict(extra)

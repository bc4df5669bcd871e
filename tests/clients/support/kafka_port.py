"""Free ports for a real Kafka that a test starts."""

import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tools.kafka_releases import CONTROLLER_PORT_OFFSET, ZOOKEEPER_PORT_OFFSET
from tools.real_kafka import why_not_free

_PORTS: Final = range(19700, 20000, 40)
"""Below those that clients' connections are given."""
_OFFSETS: Final = (0, CONTROLLER_PORT_OFFSET, ZOOKEEPER_PORT_OFFSET)
_SIGN_OFFSET: Final = 39


@contextmanager
def kafka_port() -> Generator[int]:
    """Give a port that is free with those above it, and that no other run of tests takes meanwhile.

    Kafka takes them seconds later: a socket that listens beside them says that they are given away.
    """
    for port in _PORTS:
        try:
            sign = socket.create_server(("127.0.0.1", port + _SIGN_OFFSET))
        except OSError:
            continue
        with sign:
            if not any(why_not_free(port + offset) for offset in _OFFSETS):
                yield port
                return
    raise AssertionError(f"no port for Kafka is free: {_PORTS}")

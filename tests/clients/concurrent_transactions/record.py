"""Measure on real Kafka how often clients are answered CONCURRENT_TRANSACTIONS, and store it.

    python -m tests.clients.concurrent_transactions.record [--port PORT] [CLIENT…]

It starts Kafka 4.4.0 and 2.8.2 (`tools.real_kafka`), which needs Java, and Maven once; the clients
need Go and Node. Without names, all clients are measured.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Final

from tests.clients.concurrent_transactions.clients import TITLES, Clients
from tests.clients.concurrent_transactions.measurement import Measured, measure
from tests.clients.concurrent_transactions.noting_proxy import noting_proxy
from tests.clients.concurrent_transactions.recording import RECORDED, read, write
from tests.clients.support.topics import create_topic
from tools.kafka_releases import listener_port
from tools.real_kafka import start

VERSIONS: Final = ("4.4.0", "2.8.2")
ROUNDS: Final = 3
_PORT: Final = 28200
_APART: Final = 100
_PROXY_OFFSET: Final = 50
_PROXIED: Final = "PROXIED"
"""The listener of the clients: the broker writes its own markers through the other one."""


def say(text: str) -> None:
    """Print the progress."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure the clients on each release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", default=TITLES)
    parser.add_argument("--port", type=int, default=_PORT)
    arguments = parser.parse_args()
    recorded = {version: dict(cells) for version, cells in read(RECORDED).items()}
    for place, version in enumerate(VERSIONS):
        measured = _on_kafka(version, arguments.port + _APART * place, arguments.clients)
        recorded[version] = {**recorded.get(version, {}), **measured}
    write(RECORDED, {version: recorded[version] for version in VERSIONS})


def _on_kafka(version: str, port: int, titles: Sequence[str]) -> dict[str, list[Measured]]:
    """Measure the clients on a broker that they reach through a proxy, in several rounds."""
    proxied, listener = port + _PROXY_OFFSET, listener_port(port, 0, 0)
    addresses = f"PLAINTEXT://127.0.0.1:{port},{_PROXIED}://127.0.0.1:{proxied}"
    settings = {"advertised.listeners": addresses, "auto.create.topics.enable": "false"}
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        broker = start(
            folder / "kafka", port, version=version, listeners=(_PROXIED,), settings=settings
        )
        running.enter_context(broker)
        proxy = running.enter_context(noting_proxy(proxied, listener))
        clients = Clients(running, folder)
        measured: dict[str, list[Measured]] = {title: [] for title in titles}
        for number, title in product(range(ROUNDS), titles):
            topic = f"orders-{titles.index(title)}-{number}"
            create_topic(broker.bootstrap_servers, topic)
            answers = f"127.0.0.1:{proxied}", topic, proxy.answers
            measured[title].append(measure(clients[title], *answers))
            say(f"{version} {title}: {measured[title][-1]}")
        return measured


if __name__ == "__main__":
    main()

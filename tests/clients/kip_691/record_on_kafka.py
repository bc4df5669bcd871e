"""Measure the rows of KIP-691 that a test can cause on a real Kafka, and store the results.

    python -m tests.clients.kip_691.record_on_kafka

It starts the releases of the rows (`tools.real_kafka`), which needs Java, and Maven once.
"""

import itertools
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.clients.kip_691.recording import RECORDED_ON_KAFKA, write
from tests.clients.kip_691.row import Row
from tests.clients.kip_691.rows import ROWS
from tests.clients.kip_691.scene import Scene, authorizer_of
from tests.clients.kip_691.template import Application, Outcome
from tests.clients.support.topics import create_topic
from tests.clients.transactors.clients import TITLES_OF_KIP_691 as TITLES
from tests.clients.transactors.clients import Clients
from tools.real_kafka import JVM_SMALL, start

VERSIONS: Final = {"4.4": "4.4.0", "2.4": "2.4.1"}
_PORTS: Final = {"4.4": 28000, "2.4": 28100}
_SETTINGS: Final = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
}


def main() -> None:
    """Run all rows that a test can cause on a real Kafka."""
    rows = [row for row in ROWS if row.on_real_kafka]
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        brokers = {
            release: running.enter_context(
                start(
                    folder / f"kafka-{version}",
                    _PORTS[release],
                    version=version,
                    settings=_SETTINGS | (authorizer_of(release) if release == "4.4" else {}),
                    jvm=JVM_SMALL,
                )
            )
            for release, version in VERSIONS.items()
        }
        clients = Clients(running, folder)
        numbers = itertools.count(1)

        def outcome(title: str, row: Row) -> Outcome:
            scene = _scene(brokers[row.kafka].bootstrap_servers, next(numbers))
            return Application(clients[title], scene, row).run()

        write(
            RECORDED_ON_KAFKA,
            {row.name: {title: outcome(title, row) for title in TITLES} for row in rows},
        )


def _scene(bootstrap_servers: str, number: int) -> Scene:
    scene = Scene(
        bootstrap_servers=bootstrap_servers,
        topic=f"invoices-{number}",
        source=f"orders-{number}",
        group=f"billing-{number}",
        transactional_id=f"billing-{number}",
    )
    create_topic(bootstrap_servers, scene.topic)
    create_topic(bootstrap_servers, scene.source)
    scene.position()  # waits for the coordinator: its topic is created when the first group asks
    return scene


if __name__ == "__main__":
    main()

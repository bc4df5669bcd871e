"""Run the scenarios on real Kafka, and store their results.

    python -m tests.clients.spark.record [WORDS] [--port 19700]

With words, only scenarios with one of them in their names are run. It needs Java and Maven.
"""

import argparse
import secrets
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mockbroker.spark import session
from tests.clients.spark import recording
from tests.clients.spark.damage import DamageByAdmin
from tests.clients.spark.recording_proxy import RecordingProxy, recording_proxy
from tests.clients.spark.scenarios import LOSSES, USES
from tests.clients.spark.stage import Stage
from tools import real_kafka
from tools.kafka_releases import CONTROLLER_PORT_OFFSET

KAFKA: Final = "4.4.0"
PORT: Final = 19700


@contextmanager
def kafka_behind(proxy: RecordingProxy, folder: Path, port: int) -> Generator[str]:
    """Run a real broker that advertises only the address of the proxy."""
    own, clients = (f"127.0.0.1:{port + offset}" for offset in (0, 1))
    controller = f"127.0.0.1:{port + CONTROLLER_PORT_OFFSET}"
    through = f"127.0.0.1:{proxy.port}"
    settings = {
        "listeners": f"PLAINTEXT://{own},CLIENTS://{clients},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{own},CLIENTS://{through}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CLIENTS:PLAINTEXT,"
        "CONTROLLER:PLAINTEXT",
    }
    proxy.forward_to(port + 1)
    with real_kafka.start(folder, port, version=KAFKA, settings=settings, jvm=real_kafka.JVM_SMALL):
        yield through


def main() -> None:
    """Record the scenarios of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients.spark.record")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--port", type=int, default=PORT)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="spark-and-kafka-") as folder,
        recording_proxy() as proxy,
        kafka_behind(proxy, Path(folder) / "kafka", options.port) as bootstrap_servers,
    ):
        stage = Stage(
            spark=session(work_folder=Path(folder)),
            bootstrap_servers=bootstrap_servers,
            folder=Path(folder),
            askings=proxy.askings,
            damage=DamageByAdmin(bootstrap_servers),
            token=secrets.token_hex(4),
        )
        for name, scenario in {**USES, **LOSSES}.items():
            if not options.words or any(word in name for word in options.words):
                recording.write(name, KAFKA, stage.spark.version, stage.play(scenario))
                sys.stdout.write(f"{name}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()

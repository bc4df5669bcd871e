"""Measurements of TLS: a Java producer over it, and a fresh cluster with it."""

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.arena import BOUNDED_TOPIC, Arena
from bench.competitors import KAFKA_VERSION, US, Competitor, Mockbroker, free_port
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample, program
from bench.produce_measurements import java_producer
from mockbroker.server.tls.authority import Authority
from tools import real_kafka
from tools.kafka_releases import CONTROLLER_PORT_OFFSET, RealKafkaUnavailableError

_PARTITIONS: Final = "12"
_TLS_PORT_OFFSET: Final = 30
_ONLY_KAFKA: Final = dict.fromkeys(("rdkafka-mock", "kfake"), "it is measured beside Kafka only")


def measure_tls(arena: Arena, competitor: Competitor) -> Sample:
    """Produce to 12 partitions with Java's producer over TLS; make clusters with TLS."""
    authority = Authority()
    issued = authority.issue("broker", ["localhost", "127.0.0.1"])
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bench-tls-") as name:
        folder = Path(name)
        store, client = folder / "broker.pem", folder / "client.properties"
        store.write_text(issued.certificate_pem + issued.key_pem)
        trusted = authority.ca_pem.replace("\n", "\\n")
        client.write_text(
            "security.protocol=SSL\nssl.truststore.type=PEM\n"
            f"ssl.truststore.certificates={trusted}\n"
        )
        settings = {
            "num.partitions": _PARTITIONS,
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(store),
            **dict(f"log.{pair}".split("=") for pair in BOUNDED_TOPIC.split(",")),
        }
        with _listening(competitor, folder, settings) as address:
            phase = java_producer(address, "tls", arena.seed, client)["plain"]
        if phase["failed"]:
            raise CannotMeasureError(f"{phase['failed']:.0f} records of Java's producer failed")
        values["java_tls_per_s"] = phase["records_per_s"]
    if competitor.name == US:
        plain = program("bench.fresh_cluster", "made")["clusters"]["median_ms"]
        secure = program("bench.fresh_cluster", "made-with-tls")["clusters"]["median_ms"]
        values["fresh_tls_share"] = secure / plain
    return Sample(values)


@contextmanager
def _listening(
    competitor: Competitor, folder: Path, settings: Mapping[str, str]
) -> Generator[str, None, None]:
    """Run a broker that also listens with TLS, and return that address."""
    if competitor.name == US:
        port = free_port()
        listeners = f"PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:{port}"
        with Mockbroker().running({**settings, "listeners": listeners}):
            yield f"127.0.0.1:{port}"
        return
    port = free_port(CONTROLLER_PORT_OFFSET, _TLS_PORT_OFFSET)
    try:
        kafka = real_kafka.start(
            folder / "kafka", port, version=KAFKA_VERSION, settings=settings, listeners=("SSL",)
        )
    except RealKafkaUnavailableError as error:
        raise CannotMeasureError(str(error)) from None
    with kafka:
        yield f"127.0.0.1:{port + _TLS_PORT_OFFSET}"


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="tls",
        measure=measure_tls,
        not_for=_ONLY_KAFKA,
        note="both have the same certificate, of an elliptic curve, and Java's default suites; a"
        " fresh cluster is made and closed, without a client, and the key exists before",
    ),
)
"""The group of figures about TLS; `--only` selects by key."""

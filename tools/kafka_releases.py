"""Releases of real Kafka: their packages, download and configuration."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CONTROLLER_PORT_OFFSET: Final = 10
ZOOKEEPER_PORT_OFFSET: Final = 20
_LISTENERS_PORT_OFFSET: Final = 30
_LISTENER_PORTS: Final = 10
_SECURITY_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class RealKafkaUnavailableError(RuntimeError):
    """Raised when real Kafka is not available; the text names what is missing or what failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Package and start command of one Kafka release."""

    scala: str
    uses_zookeeper: bool
    maven_profile: str | None = None


RELEASES: Final[Mapping[str, Release]] = {
    "4.4.0": Release(scala="2.13", uses_zookeeper=False),
    "4.3.1": Release(scala="2.13", uses_zookeeper=False),
    "3.9.1": Release(scala="2.13", uses_zookeeper=False),
    "3.6.2": Release(scala="2.13", uses_zookeeper=False),
    "2.8.2": Release(scala="2.13", uses_zookeeper=True),
    "2.5.1": Release(scala="2.13", uses_zookeeper=True),
    "2.4.1": Release(scala="2.13", uses_zookeeper=True),
    "2.3.1": Release(scala="2.12", uses_zookeeper=True, maven_profile="before-2.4"),
    "1.1.1": Release(scala="2.12", uses_zookeeper=True, maven_profile="before-2.4"),
    "1.0.1": Release(scala="2.12", uses_zookeeper=True, maven_profile="before-2.4"),
    "0.11.0.3": Release(scala="2.12", uses_zookeeper=True, maven_profile="before-2.4"),
}
"""The releases that are known to run under Java 17."""


def fetch(version: str) -> Path:
    """Return the directory of a release's jars, copied there by Maven on first use.

    Raises: RealKafkaUnavailableError when the release is unknown, or Maven is absent or fails.
    """
    release = release_of(version)
    directory = cache_directory() / f"libs-{version}"
    if list(directory.glob("kafka_*.jar")):
        return directory
    maven = shutil.which("mvn")
    if maven is None:
        raise RealKafkaUnavailableError(f"Maven (mvn) is needed once, to fetch Kafka {version}")
    partial = directory.with_name(f"{directory.name}.{os.getpid()}.partial")
    command = [maven, "-B", "-q", "-f", str(ROOT / "tools" / "kafka" / "pom.xml")]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    command += [f"-DoutputDirectory={partial}", f"-Dkafka.version={version}"]
    command += [f"-Dscala.version={release.scala}"]
    if release.maven_profile is not None:
        command.append(f"-P{release.maven_profile}")
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        shutil.rmtree(partial, ignore_errors=True)
        raise RealKafkaUnavailableError(
            f"Maven could not fetch Kafka {version}: {ran.stdout[-2000:]}"
        )
    shutil.rmtree(directory, ignore_errors=True)
    partial.rename(
        directory
    )  # whole or not at all: an interrupted fetch leaves no half-filled cache
    return directory


def release_of(version: str) -> Release:
    """Return the release of a version.

    Raises: RealKafkaUnavailableError when it is not in the table.
    """
    try:
        return RELEASES[version]
    except KeyError:
        known = ", ".join(RELEASES)
        raise RealKafkaUnavailableError(f"Kafka {version} is not in the table: {known}") from None


def cache_directory() -> Path:
    """Return the folder of cached jars."""
    override = os.environ.get("REAL_KAFKA_CACHE")
    return Path(override) if override else ROOT / ".cache" / "kafka"


def listener_port(port: int, listener_index: int, broker_index: int) -> int:
    """Return the port of one of a broker's further listeners."""
    return port + _LISTENERS_PORT_OFFSET + listener_index * _LISTENER_PORTS + broker_index


def broker_properties(
    directory: Path,
    port: int,
    index: int,
    *,
    brokers: int,
    version: str,
    listeners: Sequence[str] = (),
) -> dict[str, str]:
    """Return the properties of the broker `index` (from 0).

    They are Kafka's defaults except for addresses, storage, and the size of internal topics.
    """
    replication = str(min(3, brokers))
    min_isr = str(min(2, brokers))
    listener, protocols = _listener_texts(port, index, listeners)
    properties = {
        "log.dirs": str(directory / f"broker-{index + 1}" / "data"),
        "default.replication.factor": replication,
        "offsets.topic.replication.factor": replication,
        "offsets.topic.num.partitions": "3",
        "transaction.state.log.replication.factor": replication,
        "transaction.state.log.min.isr": min_isr,
        "transaction.state.log.num.partitions": "3",
        "group.initial.rebalance.delay.ms": "0",
    }
    if release_of(version).uses_zookeeper:
        properties |= {
            "broker.id": str(index + 1),
            "zookeeper.connect": f"127.0.0.1:{port + ZOOKEEPER_PORT_OFFSET}",
            # The default is 6 s, which may pass beside a busy process: the broker then exits.
            "zookeeper.connection.timeout.ms": "60000",
            "listeners": listener,
        }
        if listeners:
            properties["listener.security.protocol.map"] = protocols
        return properties
    controllers = [f"127.0.0.1:{port + CONTROLLER_PORT_OFFSET + i}" for i in range(brokers)]
    return properties | {
        "process.roles": "broker,controller",
        "node.id": str(index + 1),
        "controller.quorum.voters": ",".join(f"{i + 1}@{at}" for i, at in enumerate(controllers)),
        "controller.listener.names": "CONTROLLER",
        "listeners": f"{listener},CONTROLLER://{controllers[index]}",
        "advertised.listeners": listener,
        "listener.security.protocol.map": protocols,
        "inter.broker.listener.name": "PLAINTEXT",
        "share.coordinator.state.topic.replication.factor": replication,
        "share.coordinator.state.topic.min.isr": min_isr,
    }


def security_protocol(listener: str) -> str:
    """Return the security protocol that a listener is named after; PLAINTEXT for other names."""
    return listener if listener in _SECURITY_PROTOCOLS else "PLAINTEXT"


def _listener_texts(port: int, index: int, names: Sequence[str]) -> tuple[str, str]:
    """Return a broker's listeners for clients, and the security protocols of all its listeners."""
    ports = {name: listener_port(port, place, index) for place, name in enumerate(names)}
    addresses = {"PLAINTEXT": port + index, **ports}
    protocols = (
        f"{name}:{security_protocol(name)}" for name in ("PLAINTEXT", "CONTROLLER", *names)
    )
    texts = (f"{name}://127.0.0.1:{at}" for name, at in addresses.items())
    return ",".join(texts), ",".join(protocols)


def allowed_keys(settings: Mapping[str, str]) -> list[str]:
    """Return the options without which brokers do not read the keys of OAUTHBEARER."""
    urls = [value for name, value in settings.items() if name.endswith("jwks.endpoint.url")]
    return [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={','.join(urls)}"] if urls else []

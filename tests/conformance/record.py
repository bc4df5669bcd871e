"""Send the scripts to real Kafka, and record its responses: `make record`.

Needs Java (17 runs every release) and, once, Maven to fetch Kafka's jars. Scenario names as
arguments record only those; `--kafka 2.4.1` or `--kafka 4.4.0-tv1` records only that release.
"""

import argparse
import fcntl
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance import golden
from tests.conformance.releases import RELEASES, Release
from tests.conformance.script import EVERY_CLUSTER, Scenario, scenarios
from tests.conformance.talk import Address, Talk
from tools import real_kafka
from tools.kafka_releases import (
    CONTROLLER_PORT_OFFSET,
    ZOOKEEPER_PORT_OFFSET,
    RealKafkaUnavailableError,
    listener_port,
)
from tools.real_replicas import RealReplicas, start_replicas

PORT: Final = 19600
PAUSE_S: Final = 0.05
DELETION_PAUSES_MAX: Final = 1200


def say(text: str) -> None:
    """Print the progress."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def pause() -> None:
    """Wait a moment for real Kafka."""
    threading.Event().wait(PAUSE_S)


def sleep(duration_ms: int) -> None:
    """Wait for real Kafka's clock."""
    threading.Event().wait(duration_ms / 1000)


class RealCluster(NamedTuple):
    """A real cluster for scenarios."""

    addresses: list[Address]
    restart: Callable[[int], None] | None
    """Stops a broker, and starts it again."""
    replicas: RealReplicas | None = None
    """Controls single brokers."""


@contextmanager
def cluster(release: Release, scenario: Scenario, port: int) -> Generator[RealCluster]:
    """Run a real cluster with a scenario's settings."""
    if scenario.controls_replicas:
        yield from replicas(release, scenario, port)
        return
    with (
        tempfile.TemporaryDirectory(prefix="real-kafka-") as directory,
        real_kafka.start(
            Path(directory),
            port,
            version=release.version,
            brokers=scenario.brokers,
            settings={**EVERY_CLUSTER, **release.settings, **scenario.settings_of(release)},
            listeners=scenario.listeners,
            features=release.features,
            jvm=real_kafka.JVM_SMALL,
        ) as kafka,
    ):
        addresses = [("127.0.0.1", port + index) for index in range(scenario.brokers)]
        await_producer_ids(addresses, release)
        yield RealCluster(addresses, kafka.restart)


def replicas(release: Release, scenario: Scenario, port: int) -> Generator[RealCluster]:
    """Run a real cluster whose brokers are controlled one by one."""
    with (
        tempfile.TemporaryDirectory(prefix="real-kafka-") as directory,
        start_replicas(
            Path(directory),
            port,
            version=release.version,
            brokers=scenario.brokers,
            settings={**EVERY_CLUSTER, **release.settings, **scenario.settings_of(release)},
        ) as real,
    ):
        addresses = [("127.0.0.1", port + index) for index in range(scenario.brokers)]
        await_producer_ids(addresses, release)
        yield RealCluster(addresses, None, real)


def await_producer_ids(addresses: Sequence[Address], release: Release) -> None:
    """Wait until every broker can assign producer ids."""
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
    with Talk(addresses, release, pause=pause).closing() as talk:
        for broker in range(1, len(addresses) + 1):
            while (
                talk.expect(
                    InitProducerIdResponse, talk.quietly(request, 0, broker=broker)
                ).producer_id
                < 0
            ):
                pause()


@contextmanager
def no_other_writer(folder: Path) -> Generator[None]:
    """Wait for other recorders, because releases that are recorded in parallel share files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def group_key(release: Release, scenario: Scenario) -> tuple[object, ...]:
    """Return a key that differs for scenarios that cannot share a cluster."""
    shares = release.forgets_topics or scenario.keeps_internal_topics
    alone = scenario.name if scenario.is_alone or not shares else ""
    settings = sorted(scenario.settings.items())
    kept = scenario.keeps_internal_topics
    shape = (
        scenario.brokers,
        scenario.has_authorizer,
        scenario.listeners,
        scenario.controls_replicas,
    )
    return *shape, settings, kept, alone


def record_one(
    scenario: Scenario,
    release: Release,
    addresses: Sequence[Address],
    folder: Path = golden.FOLDER,
    restart: Callable[[int], None] | None = None,
    replicas: RealReplicas | None = None,
) -> bool:
    """Run one script, record its responses, and return whether it was completed."""
    port = addresses[0][1]
    with Talk(
        addresses,
        release,
        pause=pause,
        let_time_pass=sleep,
        restart=restart,
        replicas=replicas,
        listeners={
            name: [
                ("127.0.0.1", listener_port(port, place, index)) for index in range(len(addresses))
            ]
            for place, name in enumerate(scenario.listeners)
        },
    ).closing() as talk:
        for index in range(len(addresses)):
            talk.names.learn_text(
                f":{port + CONTROLLER_PORT_OFFSET + index}", f":<controller port {index + 1}>"
            )
        talk.names.learn_text(f":{port + ZOOKEEPER_PORT_OFFSET}", ":<ZooKeeper port>")
        try:
            scenario.script(talk)
        except Exception:  # noqa: BLE001 - the other scenarios are still worth recording
            say(f"{release.label} {scenario.name} FAILED after {len(talk.steps)} steps")
            say(traceback.format_exc())
            return False
        with no_other_writer(folder):
            is_changed = golden.write(scenario, release, talk.steps, folder)
        outcome = "changed" if is_changed else "unchanged"
        say(f"{release.label} {scenario.name}: {len(talk.steps)} steps, {outcome}")
    return True


def clear(addresses: Sequence[Address], release: Release, *, keeps_internal: bool) -> None:
    """Delete the topics, and wait until no broker knows them."""

    def unwanted(broker: int) -> list[str]:
        names = topic_names(talk, broker)
        return [name for name in names if not (keeps_internal and name.startswith("__"))]

    with Talk(addresses, release, pause=pause).closing() as talk:
        names = unwanted(1)
        version = talk.latest(ApiKey.DELETE_TOPICS)
        request = DeleteTopicsRequest(
            topics=[DeleteTopicState(name=name, topic_id=ZERO_UUID) for name in names],
            topic_names=names,
            timeout_ms=30_000,
        )
        for broker in range(1, len(addresses) + 1):  # with ZooKeeper, one of them is the controller
            talk.quietly(request, version, broker=broker)
        for broker in range(1, len(addresses) + 1):
            await_none(partial(unwanted, broker))


def await_none(names: Callable[[], list[str]]) -> None:
    """Wait until all deletions are complete."""
    for _ in range(DELETION_PAUSES_MAX):
        if not names():
            return
        pause()
    raise RealKafkaUnavailableError(f"topics do not go: {names()}")


def topic_names(talk: Talk, broker: int) -> list[str]:
    """List the topics that a broker knows."""
    answer = talk.expect(
        MetadataResponse, talk.quietly(MetadataRequest(topics=None), 1, broker=broker)
    )
    return [topic.name or "" for topic in answer.topics]


def record(chosen: Sequence[Scenario], release: Release, port: int) -> int:
    """Record scenarios with one release; return the number of failures."""
    failures = 0
    key = partial(group_key, release)
    for _, group in groupby(sorted(chosen, key=key), key=key):
        together = list(group)
        with cluster(release, together[0], port) as real:
            failures += record_group(together, release, real)
    return failures


def record_group(together: Sequence[Scenario], release: Release, real: RealCluster) -> int:
    """Record scenarios one after the other on one cluster; return the number of failures."""
    failures = 0
    for scenario in together:
        failures += not record_one(
            scenario, release, real.addresses, restart=real.restart, replicas=real.replicas
        )
        if real.replicas is not None:
            real.replicas.restore()
            await_producer_ids(real.addresses, release)
        if scenario is not together[-1]:
            clear(real.addresses, release, keeps_internal=scenario.keeps_internal_topics)
    return failures


def main() -> None:
    """Record the scenarios that the command line selects."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.record", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("scenarios", nargs="*", help="names; all when there is none")
    parser.add_argument("--kafka", choices=[each.label for each in RELEASES])
    parser.add_argument("--port", type=int, default=PORT)
    options = parser.parse_args()
    known = scenarios()
    if unknown := set(options.scenarios) - set(known):
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
    failures = 0
    for release in RELEASES:
        if options.kafka in {None, release.label}:
            names = options.scenarios or list(known)
            chosen = [known[name] for name in names if known[name].applies_to(release)]
            try:
                failures += record(chosen, release, options.port)
            except RealKafkaUnavailableError as error:
                sys.exit(f"real Kafka {release.label} cannot be recorded here: {error}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()

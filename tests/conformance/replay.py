"""Replay of a script on mockbroker, as a test with a cluster of its own."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from mockbroker.cluster import Cluster
from mockbroker.journal.entry import Entry
from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from tests.conformance.mock_replicas import MockReplicas
from tests.conformance.releases import Release
from tests.conformance.script import EVERY_CLUSTER, Scenario
from tests.conformance.steps import Step
from tests.conformance.talk import Address, Talk

AS_PATIENT: Final[Mapping[str, str]] = {"mockbroker.internal.topics.at.once": "false"}
"""Mockbroker waits as Kafka does until internal topics exist."""


def addresses_of(cluster: Cluster) -> list[Address]:
    """Return the address of each broker."""
    servers = (urlsplit(f"//{server}") for server in cluster.bootstrap_servers.split(","))
    return [(server.hostname or "", server.port or 0) for server in servers]


def replay(
    scenario: Scenario,
    release: Release,
    *,
    config: Mapping[str, str] | None = None,
    journal: list[Entry] | None = None,
) -> list[Step]:
    """Run a script on mockbroker; if it fails, return the responses so far.

    `config` is added to that of the scenario. With a `journal`, append the entries of the
    cluster's journal to it.
    """
    with (
        Cluster(
            brokers=scenario.brokers,
            kafka=release.preset,
            allow_unknown_config=True,  # a script sets the configs of all releases
            config={
                **EVERY_CLUSTER,
                **AS_PATIENT,
                **release.settings,
                **scenario.settings_of(release),
                **(config or {}),
            },
            features=release.features,
            journal=journal is not None,
            clock="manual",  # between two steps, no time passes that the script does not let pass
        ) as cluster,
        Talk(
            addresses_of(cluster),
            release,
            pause=None,
            let_time_pass=_advancing(cluster),
            restart=_restarting(cluster),
            replicas=MockReplicas(cluster),
            listeners={
                name: [(each.host, each.port) for each in cluster.listeners if each.name == name]
                for name in scenario.listeners
            },
        ).closing() as talk,
    ):
        # The recorded clusters gave an id away while they were waited for: no script gets id 0.
        talk.quietly(InitProducerIdRequest(transactional_id=None), 0)
        try:
            scenario.script(talk)
        except AssertionError as failure:
            talk.give_up(failure)
        if journal is not None:
            journal += cluster.journal.complete_entries()
        return talk.steps


def _advancing(cluster: Cluster) -> Callable[[int], None]:
    def advance(duration_ms: int) -> None:
        cluster.clock.advance(f"{duration_ms}ms", keep_sessions=False)

    return advance


def _restarting(cluster: Cluster) -> Callable[[int], None]:
    def restart(broker: int) -> None:
        cluster.kill(broker)
        cluster.start(broker)

    return restart

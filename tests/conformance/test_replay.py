"""Mockbroker's responses to the scripts equal real Kafka's, field by field."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from mockbroker import Cluster
from mockbroker.journal.entry import Entry
from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from tests.conformance import golden
from tests.conformance.compare import compare, judge
from tests.conformance.differences import EXPLAINED
from tests.conformance.mock_replicas import MockReplicas
from tests.conformance.releases import RELEASES, Release
from tests.conformance.script import EVERY_CLUSTER, Scenario, scenarios
from tests.conformance.steps import Step
from tests.conformance.talk import Address, Talk
from tools.kafka_releases import security_protocol

IN_THE_FAST_PART = ("4.4.0", "2.4.1")
CASES = [
    pytest.param(
        scenario,
        release,
        id=f"{release.label}-{scenario.name}",
        marks=[pytest.mark.slow]
        if scenario.is_slow or release.label not in IN_THE_FAST_PART
        else [],
    )
    for release in RELEASES
    for scenario in scenarios().values()
    if scenario.applies_to(release)
]


AS_PATIENT = {"mockbroker.internal.topics.at.once": "false"}
"""Mockbroker waits as Kafka does until internal topics exist."""


def addresses_of(cluster: Cluster) -> list[Address]:
    servers = (urlsplit(f"//{server}") for server in cluster.bootstrap_servers.split(","))
    return [(server.hostname or "", server.port or 0) for server in servers]


def with_listeners(*names: str) -> dict[str, str]:
    """Return the configs of a cluster with these listeners, each with its security protocol."""
    return {
        "listeners": ",".join(f"{name}://127.0.0.1:0" for name in names),
        "listener.security.protocol.map": ",".join(
            f"{name}:{security_protocol(name)}" for name in names
        ),
    }


def replay(scenario: Scenario, release: Release, journal: list[Entry] | None = None) -> list[Step]:
    """Run a script on mockbroker; if it fails, return the responses so far.

    With a `journal`, append the entries of the cluster's journal to it.
    """
    config = {**EVERY_CLUSTER, **AS_PATIENT, **release.settings, **scenario.settings_of(release)}
    if scenario.listeners:
        config |= with_listeners("PLAINTEXT", *scenario.listeners)
    with (
        Cluster(
            brokers=scenario.brokers,
            kafka=release.preset,
            config=config,
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
        cluster.clock.advance(duration_ms, keep_sessions=False)

    return advance


def _restarting(cluster: Cluster) -> Callable[[int], None]:
    def restart(broker: int) -> None:
        cluster.kill(broker)
        cluster.start(broker)

    return restart


@pytest.mark.parametrize(("scenario", "release"), CASES)
def test_the_responses_equal_those_of_kafka(scenario: Scenario, release: Release) -> None:
    recorded = golden.read(scenario, release)
    found = compare(recorded, replay(scenario, release))
    verdict = judge(found, EXPLAINED, scenario.name, release.name)
    lines = [str(difference) for difference in verdict.unexplained]
    lines += [f"explained, but not so: {place}" for place in verdict.unused]
    if lines:
        pytest.fail(f"{scenario.name} on {release.label}:\n" + "\n".join(lines), pytrace=False)


def test_every_recording_has_its_script() -> None:
    assert set(golden.recordings()) == {
        golden.Recording(golden.path_of(scenario), scenario.name, release.label)
        for release in RELEASES
        for scenario in scenarios().values()
        if scenario.applies_to(release)
    }


def test_every_explanation_names_an_existing_scenario() -> None:
    known = scenarios()
    for explained in EXPLAINED:
        for place in explained.places:
            assert place.scenario in known, place
            assert set(place.presets) <= set(known[place.scenario].presets), place

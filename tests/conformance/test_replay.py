"""Mockbroker's responses to the scripts equal real Kafka's, field by field."""

import pytest

from mockbroker.journal.entry import Entry
from tests.conformance import golden
from tests.conformance.compare import compare, judge
from tests.conformance.differences import EXPLAINED
from tests.conformance.group_evidence import findings_about_groups, has_evidence
from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replay import replay
from tests.conformance.script import Scenario, scenarios
from tests.conformance.steps import Step
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


def with_listeners(*names: str) -> dict[str, str]:
    """Return the configs of a cluster with these listeners, each with its security protocol."""
    return {
        "listeners": ",".join(f"{name}://127.0.0.1:0" for name in names),
        "listener.security.protocol.map": ",".join(
            f"{name}:{security_protocol(name)}" for name in names
        ),
    }


def replay_with_listeners(
    scenario: Scenario, release: Release, journal: list[Entry] | None = None
) -> list[Step]:
    """Run a script on mockbroker, which has the script's listeners."""
    config = with_listeners("PLAINTEXT", *scenario.listeners) if scenario.listeners else None
    return replay(scenario, release, config=config, journal=journal)


@pytest.mark.parametrize(("scenario", "release"), CASES)
def test_the_responses_equal_those_of_kafka(scenario: Scenario, release: Release) -> None:
    recorded = read(scenario, release)
    journal: list[Entry] | None = [] if has_evidence(scenario, release) else None
    found = compare(recorded, replay_with_listeners(scenario, release, journal))
    verdict = judge(found, EXPLAINED, scenario.name, release.name)
    lines = [str(difference) for difference in verdict.unexplained]
    lines += [f"explained, but not so: {place}" for place in verdict.unused]
    if lines:
        pytest.fail(f"{scenario.name} on {release.label}:\n" + "\n".join(lines), pytrace=False)
    assert not findings_about_groups(journal or [])


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

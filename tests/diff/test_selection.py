"""Choice of the conversations that a foreign broker can be asked."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mockbroker.diff.selection import (
    AUTHORIZER,
    SEVERAL,
    api_of,
    matching,
    obstacle,
    other_configs,
    select,
    version_of,
)
from mockbroker.diff.survey import BrokerFacts
from tests.conformance.releases import RELEASES
from tests.conformance.script import Scenario, scenarios
from tests.conformance.steps import Step
from tests.conformance.talk import Talk


def script(talk: Talk) -> None:
    """Ask nothing."""


PLAIN = Scenario(
    name="plain",
    script=script,
    brokers=1,
    settings={},
    listeners=(),
    is_alone=False,
    keeps_internal_topics=False,
    has_authorizer=False,
    is_slow=False,
    presets=(),
)


def facts(
    configs: Mapping[str, str | None] | None = None, *, internal_topics: bool = False
) -> BrokerFacts:
    return BrokerFacts(
        address=("127.0.0.1", 9092),
        broker=1,
        host="127.0.0.1",
        port=9092,
        served={},
        configs=configs,
        has_internal_topics=internal_topics,
    )


def test_a_plain_scenario_can_be_asked() -> None:
    assert obstacle(PLAIN, facts()) is None


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        (replace(PLAIN, brokers=3), "needs 3 brokers"),
        (replace(PLAIN, listeners=("SSL",)), "needs listeners of its own: SSL"),
        (replace(PLAIN, has_authorizer=True), "needs an authorizer"),
        (replace(PLAIN, is_alone=True), "needs a cluster that has received no request"),
        (replace(PLAIN, precedes_internal_topics=True), "needs a broker without internal topics"),
    ],
)
def test_what_needs_control_of_the_cluster_is_not_asked(scenario: Scenario, reason: str) -> None:
    found = obstacle(scenario, facts(internal_topics=True))
    assert found is not None
    assert found.startswith(reason)


def test_configs_have_to_be_those_of_the_scenario() -> None:
    scenario = replace(PLAIN, settings={"group.max.size": "2"})
    assert obstacle(scenario, facts({"group.max.size": "2"})) is None
    assert obstacle(scenario, facts({"group.max.size": "9"})) == (
        "needs group.max.size=2; the broker has 9"
    )
    assert obstacle(scenario, facts()) == (
        "needs group.max.size=2, and the broker does not describe its configs"
    )


def test_the_rights_of_others_are_not_changed() -> None:
    scenario = scenarios()["create_acls"]
    assert obstacle(scenario, facts({AUTHORIZER: ""})) is None
    assert obstacle(scenario, facts({AUTHORIZER: "org.example.Authorizer"})) is not None


def test_scenarios_that_precede_internal_topics_come_first_and_those_that_make_them_last() -> None:
    making = replace(PLAIN, name="a", keeps_internal_topics=True)
    preceding = replace(PLAIN, name="z", precedes_internal_topics=True)
    several = replace(PLAIN, name="b", brokers=2)
    asked, not_asked = select([making, several, PLAIN, preceding], facts())
    assert [each.name for each in asked] == ["z", "plain", "a"]
    assert [(each.scenario, each.reason) for each in not_asked] == [("b", "needs 2 brokers")]


def test_every_scenario_is_asked_or_has_a_reason() -> None:
    of_release = [each for each in scenarios().values() if each.applies_to(RELEASES[0])]
    asked, not_asked = select(of_release, facts({}))
    assert len(asked) > 200
    assert len(asked) + len(not_asked) == len(of_release)


def test_names_are_chosen_by_patterns() -> None:
    known = {name: replace(PLAIN, name=name) for name in ("fetch_a", "fetch_b", "produce")}
    assert [each.name for each in matching(known, ["fetch_*"])] == ["fetch_a", "fetch_b"]
    assert len(matching(known, [])) == 3
    with pytest.raises(LookupError, match="no conversation is named 'commit'"):
        matching(known, ["produce", "commit"])


@pytest.mark.parametrize(
    ("asked", "api", "version"),
    [
        ("Fetch v11", "Fetch", 11),
        ("Fetch v11 of the controller", "Fetch", 11),
        ("API 3 v0, 9 bytes", "Metadata", 0),
        ("API 18 v-1, 5 bytes", "ApiVersions", None),
        ("API 999 v2, 0 bytes", "API 999", 2),
        ("__transaction_state", SEVERAL, None),
    ],
)
def test_a_step_has_an_api_and_a_version(asked: str, api: str, version: int | None) -> None:
    step = Step(name="s", asked=asked, answer=None)
    assert (api_of(step), version_of(step)) == (api, version)


def test_other_configs_are_described() -> None:
    assert list(other_configs({"a": "1", "b": "2"}, {"a": "1", "b": "3"})) == [
        "b is 3; the recorded brokers had 2"
    ]
    assert not list(other_configs({"a": "1"}, None))

"""The cluster of a scenario, and its faults, are tried without a port."""

import threading

import pytest

from mockbroker.errors import ScenarioError
from mockbroker.scenario.trial import try_scenario
from tests.support.scenarios import LOST_ACK, scenario


def test_a_good_scenario_passes_and_leaves_no_thread() -> None:
    try_scenario(scenario(LOST_ACK))
    assert "mockbroker" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('cluster: {kafka: "9.9"}', "a.yaml:1:18: kafka=9.9: Kafka release '9.9' is not"),
        ("cluster: {topics: {a/b: 1}}", "a.yaml:1:19: .*a/b"),
        ("cluster: {brokers: 0}", "a.yaml:1:20: brokers=0"),
        ("cluster: {features: {kraft.version: 77}}", "a.yaml:1:21: features kraft.version=77"),
        (
            "cluster: {config: {a: 1, num.partition: 3}}",
            "a.yaml:1:23: a=1: Kafka 4.4 has no broker config a",
        ),
        (
            "cluster: {config: {num.partitions: many}}",
            "a.yaml:1:36: num.partitions=many: Invalid value many",
        ),
        (
            "cluster: {kafka: 2.8}\nfaults:\n- match: {api: ShareFetch}\n  effect: {throttle: 1s}",
            "a.yaml:3:16: ShareFetch is not served",
        ),
    ],
)
def test_a_scenario_that_a_cluster_refuses_has_the_place(text: str, why: str) -> None:
    with pytest.raises(ScenarioError, match=why):
        try_scenario(scenario(text))
    assert "mockbroker" not in {thread.name for thread in threading.enumerate()}

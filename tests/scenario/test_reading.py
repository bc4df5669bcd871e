"""Scenario files are read with all of their problems."""

import json
from pathlib import Path

import pytest

from mockbroker.errors import ScenarioError
from mockbroker.scenario.reading import read_scenario, scenario_of
from mockbroker.scenario.scenario import Scenario

GOOD = """\
# yaml-language-server: $schema=mockbroker-scenario.schema.json
name: lost-ack
about: An acknowledgement is lost, and the producer is forgotten before it retries.
cluster:
  brokers: 3
  kafka: 3.9
  topics: {orders: 2}
  config: {min.insync.replicas: 2, auto.create.topics.enable: false}
faults:
  - id: lost-ack
    match: {api: Produce, topic: orders}
    effect: {lose_response: after_apply}
  - id: late
    match: {api: Produce}
    trigger: {on_call: 3}
    effect: {hold: request, until: {fault: lost-ack}}
steps:
  - wait_for: {fault: lost-ack, timeout: 10s}
  - clock.advance: 7d
  - kill: {broker: 1}
  - fault: {id: late, match: {api: EndTxn}, effect: {drop_request: before_apply}}
  - fault.remove: late
  - wait_for: {marker: abort, topic: orders, partition: 0}
  - flush
expect:
  - exactly_once: {topic: orders}
  - no-loss: orders
  - all_faults_fired
"""


def read(text: str, file: str = "a.yaml") -> Scenario:
    return scenario_of(text, file)


def problems(text: str, file: str = "a.yaml") -> list[str]:
    with pytest.raises(ScenarioError) as refused:
        read(text, file)
    return [str(each).removeprefix(f"{file}:") for each in refused.value.problems]


def test_a_file_has_a_cluster_faults_steps_and_expectations() -> None:
    scenario = read(GOOD)
    assert scenario.name == "lost-ack"
    assert scenario.cluster_arguments() == {
        "brokers": 3,
        "kafka": "3.9",
        "topics": {"orders": 2},
        "config": {"min.insync.replicas": 2, "auto.create.topics.enable": False},
    }
    assert [each.document.id for each in scenario.faults] == ["lost-ack", "late"]
    assert [str(each) for each in scenario.steps] == [
        "wait_for: {fault: lost-ack}",
        "clock.advance: {by: 7d}",
        "kill: {broker: 1}",
        'fault: {id: late, match: {"api":"EndTxn"}, effect: {"drop_request":"before_apply"}}',
        "fault.remove: {fault: late}",
        "wait_for: {marker: abort, topic: orders, partition: 0}",
        "flush",
    ]
    assert str(scenario.steps[1].place) == "a.yaml:19:5"
    assert [str(each) for each in scenario.expectations] == [
        "exactly-once:topic=orders",
        "no-loss:topic=orders",
        "all-faults-fired",
    ]


def test_a_file_in_json_is_the_same(tmp_path: Path) -> None:
    document = {
        "$schema": "mockbroker-scenario.schema.json",
        "cluster": {"kafka": "3.9", "topics": ["orders"]},
        "steps": [{"kill": 1}],
    }
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    scenario = read_scenario(file)
    assert scenario.cluster_arguments() == {"kafka": "3.9", "topics": ["orders"]}
    assert str(scenario.steps[0].place) == f"{file}:1:{file.read_text('utf-8').index('kill')}"
    assert scenario.topic_texts() == ["orders"]


def test_an_empty_section_is_none_at_all() -> None:
    scenario = read("cluster:\nfaults:\nsteps:\n")
    assert (scenario.cluster_arguments(), scenario.faults, scenario.steps) == ({}, [], [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "1:1: a scenario is an object: cluster, faults, steps, expect"),
        ("fault: []", "1:1: there is no field 'fault'; did you mean faults or about?"),
        ("name: 3", "1:7: `name` is a text"),
        ("steps: {}", "1:8: `steps` is a list"),
        ("cluster: {broker: 3}", "1:11: there is no field 'broker'; did you mean brokers?"),
        ("topics: {}", "1:1: there is no field 'topics'; write it in `cluster`: cl"),
        (
            "cluster: {clock: frozen}",
            "1:18: Invalid enum value 'frozen': allowed are manual, offset, real",
        ),
        ("cluster: {brokers: many}", "1:20: Expected `int | null`, got `str`"),
        ("cluster: {topics: [a:3]}", "1:19: 'a:3': a list has names; write numbers of partitions"),
        (
            "faults: [{match: {topc: a}, effect: {observe: true}}]",
            "1:19: there is no field 'topc'; did you mean topic?",
        ),
        (
            "faults: [{effect: {lose_respons: after_apply}}]",
            "1:20: there is no field 'lose_respons'; did you mean lose_response",
        ),
        (
            "faults: [{match: {api: Produc}, effect: {observe: true}}]",
            "1:24: Kafka has no API 'Produc'; did you mean 'Produce'?",
        ),
        ("faults: [{match: {api: Produce}}]", "1:10: Object missing required field `effect`"),
        (
            "faults: [{id: a, effect: {observe: true}}, {id: a, effect: {observe: true}}]",
            "1:49: there is a fault 'a' before",
        ),
        (
            "faults: [{id: a, effect: {hold: request, until: {fault: b}}}]",
            "1:57: there is no fault 'b'",
        ),
        ("steps: [advance: 7d]", "1:9: there is no action 'advance'; did you mean clock.advance?"),
        ("steps: [clock.advance: 7x]", "1:24: '7x' is not a duration: write 7d, 12h"),
        ("steps: [clock.advance: 5000]", "1:24: 5000 has no unit: write 5s"),
        ("steps: [clock.advance: {bye: 7d}]", "1:25: there is no field 'bye'; did you mean by?"),
        ("steps: [kill: one]", "1:15: Expected `int`, got `str`"),
        ("steps: [kill]", "1:9: Object missing required field `broker`"),
        ("steps: [flush: 3]", "1:16: `flush` has no arguments"),
        ("steps: [{kill: 1, start: 1}]", "1:9: each item is an action, or wait_for"),
        ("steps: [wait_for: 3]", "1:19: `wait_for` is an object with one of "),
        ("steps: [wait_for: {recods: 3}]", "1:20: there is no field 'recods'; did you mean rec"),
        ("steps: [wait_for: {records: 3}]", "1:19: Object missing required field `topic`"),
        ("steps: [wait_for: {fault: a}]", "1:27: there is no fault 'a'"),
        (
            "steps: [wait_for: {records: 3, topic: a, timeout: 5x}]",
            "1:51: '5x' is not a duration",
        ),
        ("steps: [fault.release: nothing]", "1:24: there is no fault 'nothing'"),
        ("steps: [fault: {effect: {obsrve: true}}]", "1:26: there is no field 'obsrve'"),
        ("expect: [exactly_onc]", "1:10: there is no assertion 'exactly_onc'; did you mean"),
        ("expect: [exactly_once: {topics: a}]", "1:24: assert_exactly_once has no argument"),
        ("expect: [records]", "1:10: assert_records needs topic"),
        ("expect: [3]", "1:10: each item is an assertion"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line_and_column(text: str, problem: str) -> None:
    (found,) = problems(text)
    assert found.startswith(problem)


def test_all_problems_of_a_file_are_named_in_its_order() -> None:
    text = "expect: [a]\nsteps: [kil: 1, kill: x]\ncluster: {x: 1}\n"
    assert [each.partition(": ")[0] for each in problems(text)] == ["1:10", "2:9", "2:23", "3:11"]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match="the text is not UTF-8"):
        read_scenario(file)

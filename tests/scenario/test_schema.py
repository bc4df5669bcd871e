"""The schema of scenario files has all their names."""

from collections.abc import Iterator
from typing import Any

from mockbroker.control.assertion_table import ASSERTIONS
from mockbroker.faults.conditions import Event
from mockbroker.scenario.actions import actions
from mockbroker.scenario.scenario import ScenarioDocument
from mockbroker.scenario.schema import scenario_schema

SCHEMA: dict[str, Any] = scenario_schema()
DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]


def references(schema: object) -> Iterator[str]:
    """Give all references in a schema."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"]
        for each in schema.values():
            yield from references(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each)


def test_every_reference_leads_to_a_definition() -> None:
    assert {each.removeprefix("#/$defs/") for each in references(SCHEMA)} <= DEFINITIONS.keys()


def test_the_sections_are_those_of_a_file() -> None:
    assert set(SCHEMA["properties"]) == set(ScenarioDocument.__struct_encode_fields__)
    assert SCHEMA["additionalProperties"] is False


def test_a_step_is_an_action_or_a_wait() -> None:
    alone, named = DEFINITIONS["Step"]["anyOf"]
    assert set(named["properties"]) == {*actions(), "wait_for"}
    assert (named["minProperties"], named["maxProperties"]) == (1, 1)
    assert {"flush", "crash", "clock.freeze"} <= set(alone["enum"])
    assert "kill" not in alone["enum"]
    assert named["properties"]["kill"]["anyOf"] == [{"$ref": "#/$defs/Kill"}, {"type": "integer"}]
    assert "anyOf" not in named["properties"]["fault"]


def test_a_wait_is_an_event_with_a_timeout() -> None:
    forms = DEFINITIONS["WaitFor"]["oneOf"]
    assert len(forms) == len([name for name in Event.KINDS if name])
    assert all("timeout" in each["properties"] for each in forms)


def test_an_expectation_is_an_assertion_by_either_name() -> None:
    alone, named = DEFINITIONS["Expectation"]["anyOf"]
    words = {row.word for row in ASSERTIONS.values()}
    assert set(named["properties"]) == words | {word.replace("-", "_") for word in words}
    assert "exactly_once" in alone["enum"]
    assert "records" not in alone["enum"]


def test_editors_complete_apis_and_releases() -> None:
    assert "Produce" in DEFINITIONS["Match"]["properties"]["api"]["anyOf"][0]["enum"]
    assert "3.9" in DEFINITIONS["ClusterDocument"]["properties"]["kafka"]["anyOf"][0]["enum"]

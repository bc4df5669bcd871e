"""JSON with places."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.errors import ScenarioError
from mockbroker.scenario.json_text import read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from([None, 2, "\t"]))
def test_the_values_are_those_of_the_standard_library(value: object, indent: int | str) -> None:
    text = json.dumps(value, indent=indent)
    assert read_json(text, "a.json").plain() == json.loads(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a.json:1:1: not JSON: Expecting value"),
        ('{"a": 1,\n  b: 2}', "a.json:2:3: not JSON: Expecting property name"),
        ('{"a" 1}', "a.json:1:6: not JSON: Expecting ':'"),
        ("[1 2]", "a.json:1:4: not JSON: Expecting ','"),
        ("{}\n x", "a.json:2:2: not JSON: Extra data"),
        ('{"a": 1,\n "a": 2}', "a.json:2:2: `a` is here twice"),
        ("[" * 200, "a.json:1:102: not JSON: Nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read_json(text, "a.json")
    assert str(refused.value) == problem


def test_a_number_keeps_its_text() -> None:
    assert read_json(" 3.90 ", "a.json").text == "3.90"

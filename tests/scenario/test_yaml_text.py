"""YAML with places."""

import sys
from itertools import pairwise

import pytest

from mockbroker.errors import ScenarioError
from mockbroker.scenario.yaml_text import read_yaml, write_yaml

BOMB = "a: &a [1]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 20)}]\n" for before, name in pairwise("abcdef")
)
"""A document of few lines that stands for millions of values."""


def test_scalars_are_those_of_the_core_schema() -> None:
    text = "[yes, on, 7:30, true, ~, 010, 1e3, -2, .5, 'true', 2026-01-01, 3.10]"
    values = ["yes", "on", "7:30", True, None, 10, 1000.0, -2, 0.5, "true", "2026-01-01", 3.1]
    assert read_yaml(text, "a.yaml").plain() == values


def test_keys_are_texts_with_places() -> None:
    root = read_yaml("on: {1: a}\noff:\n  - b\n", "a.yaml")
    assert root.plain() == {"on": {"1": "a"}, "off": ["b"]}
    assert str(root.place_of("$.off[0]")) == "a.yaml:3:5"
    assert str(root.place_of_key("$", "off")) == "a.yaml:2:1"


def test_an_empty_file_is_nothing() -> None:
    assert read_yaml("# only a comment\n", "a.yaml").plain() is None


def test_an_alias_is_what_it_stands_for() -> None:
    assert read_yaml("a: &x {b: 1}\nc: *x\n", "a.yaml").plain() == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1\nb: 2", "a.yaml:2:2: not YAML: expected ',' or ']', but got ':'"),
        ("a: 1\na: 2", "a.yaml:2:1: `a` is here twice"),
        ("[a]: 1", "a.yaml:1:1: a key is a text"),
        ("a: \x07", "a.yaml:1:1: not YAML: unacceptable character"),
        ("&a [*a]", "a.yaml:1:1: nested too deeply"),
        (BOMB, "a.yaml:1:4: more than 100000 values"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read_yaml(text, "a.yaml")
    assert str(refused.value).startswith(problem)


def test_without_pyyaml_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(
        ScenarioError, match=r"pip install 'pyyaml>=6\.0' \(extra `yaml`\); JSON needs"
    ):
        read_yaml("a: 1", "a.yaml")


def test_what_is_written_is_read_again() -> None:
    document = {"cluster": {"kafka": "3.9"}, "steps": ["flush", {"clock.advance": {"by": "7d"}}]}
    text = write_yaml(document, "a.yaml")
    assert text == ("cluster: {kafka: '3.9'}\nsteps:\n- flush\n- clock.advance: {by: 7d}\n")
    assert read_yaml(text, "a.yaml").plain() == document

"""Advertised APIs and features match those recorded from the releases."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.release_versions import advertised_versions, features, known_releases

FACTS = Path(__file__).parents[2] / "facts"
FILES = sorted(FACTS.glob("apiversions-*.json"))


def listed(facts: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return facts.get(key) or []


def release_of(path: Path) -> str:
    parts = path.stem.removeprefix("apiversions-").split(".")
    return ".".join(parts[:2])


def test_every_release_with_facts_has_a_column() -> None:
    assert {release_of(path) for path in FILES} == set(known_releases())


@pytest.mark.parametrize("path", FILES, ids=release_of)
def test_versions_are_those_of_the_facts(path: Path) -> None:
    facts = json.loads(path.read_text("utf-8"))
    expected = {ApiKey(api["key"]): range(api["min"], api["max"] + 1) for api in facts["apis"]}
    assert dict(advertised_versions(release_of(path))) == expected


def test_features_whose_protocols_are_not_served_stay_off() -> None:
    found = {each.name: (each.highest_served, each.as_served) for each in features("4.4")}
    highest, as_served = found["kraft.version"]
    assert (highest, as_served.finalized_level) == (0, 0)
    assert as_served.max_version > 0
    highest, as_served = found["share.version"]
    assert (highest, as_served.finalized_level) == (2, 2)


@pytest.mark.parametrize("path", FILES, ids=release_of)
def test_features_are_those_of_the_facts(path: Path) -> None:
    facts = json.loads(path.read_text("utf-8"))
    found = features(release_of(path))
    supported = [
        {"Name": each.name, "MinVersion": each.min_version, "MaxVersion": each.max_version}
        for each in found
    ]
    finalized = {each.name: each.finalized_level for each in found if each.finalized_level}
    assert supported == listed(facts, "supported_features")
    assert finalized == {
        level["Name"]: level["MaxVersionLevel"] for level in listed(facts, "finalized_features")
    }

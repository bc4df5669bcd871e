"""The lock files agree with the project's requirements, and with each other."""

import re
import tomllib
from itertools import combinations

import pytest
from packaging.requirements import Requirement

from tests.tidy.repository import Sources, refuse, sources

LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


def pins(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in LOCKED.findall(lock):
        found.setdefault(name, set()).add(version)
    return found


def unmet(files: Sources) -> list[str]:
    """Return the requirements of pyproject.toml that its lock file does not satisfy."""
    document = tomllib.loads(files["pyproject.toml"])
    project, groups = document["project"], document["dependency-groups"]
    extras = project["optional-dependencies"]
    wanted: dict[str, list[str]] = {
        "run": project["dependencies"] + extras["fast"] + extras["http"],
        "spark": extras["spark"] + extras["jre"],
        "mutants": groups["mutants"],
        "test": [
            line
            for name, group in groups.items()
            for line in group
            if isinstance(line, str) and name != "mutants"
        ],
    }
    return [
        f"requirements/{lock}.txt: {line}"
        for lock, lines in wanted.items()
        for line in lines
        if not is_met(Requirement(line), pins(files[f"requirements/{lock}.txt"]))
    ]


def is_met(requirement: Requirement, locked: dict[str, set[str]]) -> bool:
    versions = locked.get(requirement.name, set())
    return bool(versions) and all(requirement.specifier.contains(each) for each in versions)


def disagreements(files: Sources) -> list[str]:
    locks = {path: pins(text) for path, text in files.items() if path.startswith("requirements/")}
    return [
        f"{name}: {one}, {other}"
        for one, other in combinations(locks, 2)
        for name in locks[one].keys() & locks[other].keys()
        if locks[one][name] != locks[other][name]
    ]


def without_hashes(files: Sources) -> list[str]:
    return [
        f"{path}: {name}"
        for path, text in files.items()
        if path.startswith("requirements/")
        for name, rest in re.findall(r"^([\w.-]+)==(.*\n(?: .*\n?)*)", text, re.MULTILINE)
        if "--hash=sha256:" not in rest
    ]


def test_the_locks_satisfy_the_requirements_of_the_project() -> None:
    refuse(unmet(sources()))


def test_the_locks_agree_with_each_other() -> None:
    refuse(disagreements(sources()))


def test_everything_locked_has_its_hash() -> None:
    refuse(without_hashes(sources()))


@pytest.mark.parametrize("lock", ["", "click==7.0 \\\n    --hash=sha256:0\n"])
def test_an_outdated_lock_is_detected(lock: str) -> None:
    planted = {
        "pyproject.toml": (
            '[project]\ndependencies = ["click>=8"]\n'
            "[project.optional-dependencies]\nfast = []\nhttp = []\njre = []\nspark = []\n"
            "[dependency-groups]\nmutants = []\nx = []\n"
        ),
        "requirements/mutants.txt": "",
        "requirements/run.txt": lock,
        "requirements/spark.txt": "",
        "requirements/test.txt": "",
    }
    assert unmet(planted) == ["requirements/run.txt: click>=8"]


def test_locks_that_disagree_are_detected() -> None:
    planted = {
        "requirements/run.txt": "click==8.1 \\\n",
        "requirements/test.txt": "click==8.2 \\\n",
    }
    assert disagreements(planted) == ["click: requirements/run.txt, requirements/test.txt"]


def test_a_pin_without_a_hash_is_detected() -> None:
    lock = "a==1 \\\n    --hash=sha256:0\nb==2\nc==3 \\\n    --hash=sha256:0\n"
    assert without_hashes({"requirements/run.txt": lock}) == ["requirements/run.txt: b"]

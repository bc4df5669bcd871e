"""The Java package: one run of Maven makes its records again and runs its tests."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from tests.support.fenced_blocks import texts_of
from tests.tidy.repository import ROOT
from tools.java_types import TYPES, write_document

PACKAGE: Final = ROOT / "packages/java"
PAGE: Final = "docs/how-to/test-in-java.md"
TESTS_MIN: Final = 30
POM: Final = {"pom": "http://maven.apache.org/POM/4.0.0"}

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what the generator makes."""
    folder = tmp_path_factory.mktemp("types")
    write_document(folder / "openapi.json")
    return folder


@pytest.fixture(scope="module")
def maven(generated: Path) -> subprocess.CompletedProcess[str]:
    """The end of the run."""
    command = ["mvn", "--batch-mode", "--quiet", f"--file={PACKAGE}", "--activate-profiles=types"]
    command += [f"-Dtypes={generated}", "test"]
    environment = os.environ | {"MOCKBROKER_COMMAND": f"{sys.executable} -m mockbroker"}
    environment.pop("MOCKBROKER_ADMIN", None)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_tests_of_the_package_pass(maven: subprocess.CompletedProcess[str]) -> None:
    assert maven.returncode == 0, maven.stdout[-10_000:] + maven.stderr[-2_000:]
    reports = [
        ET.parse(path).getroot() for path in (PACKAGE / "target/surefire-reports").glob("*.xml")
    ]
    assert sum(int(report.attrib["tests"]) for report in reports) >= TESTS_MIN
    assert not sum(int(report.attrib["skipped"]) for report in reports)


def test_the_records_are_those_of_the_openapi_document(
    maven: subprocess.CompletedProcess[str], generated: Path
) -> None:
    made = {path.name: path.read_text() for path in (generated / "mockbroker/api").iterdir()}
    assert made, maven.stdout[-10_000:]
    committed = {path.name: path.read_text() for path in (ROOT / TYPES).iterdir()}
    assert made == committed, "run `python -m tools.java_types`"


def test_the_programs_of_the_page_are_tests_of_the_package() -> None:
    sources = "\n".join(path.read_text() for path in (PACKAGE / "src/test").rglob("*.java"))
    lines = {line.strip() for line in sources.splitlines()}
    programs = texts_of(PAGE, "java")
    assert len(programs) > 1
    for program in programs:
        if program.startswith("import "):
            assert program in sources
        missing = [line for line in program.splitlines() if line.strip() not in lines]
        assert not missing, f"no test has these lines of the page: {missing}"


def test_the_page_names_the_version_of_the_package() -> None:
    pom = ET.parse(PACKAGE / "pom.xml").getroot()
    names = [
        pom.findtext(f"pom:{name}", None, POM) for name in ("groupId", "artifactId", "version")
    ]
    (dependency,) = texts_of(PAGE, "xml")
    assert re.findall(r"<(?:groupId|artifactId|version)>(.*?)<", dependency) == names
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert names[2] == project["version"]

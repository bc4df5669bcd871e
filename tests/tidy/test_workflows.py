"""Workflows for CI, releases and the image: sound, and with few permissions."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.repository import ROOT

FOLDER: Final = Path(".github/workflows")
ACTIONLINT: Final = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"
WORKFLOWS: Final = sorted(path.name for path in (ROOT / FOLDER).glob("*.yml"))


def actionlint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Look for faults in the workflows below a folder."""
    files = sorted(map(str, (folder / FOLDER).glob("*.yml")))
    command = ["go", "run", ACTIONLINT, "-shellcheck=", "-pyflakes=", *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_there_are_workflows_for_tests_releases_and_the_image() -> None:
    assert WORKFLOWS == ["ci.yml", "image.yml", "release.yml"]


@pytest.mark.go
@pytest.mark.slow
def test_the_workflows_have_no_faults() -> None:
    linted = actionlint(ROOT)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.go
@pytest.mark.slow
def test_a_fault_of_a_workflow_is_detected(tmp_path: Path) -> None:
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    planted = tmp_path / FOLDER / "ci.yml"
    planted.write_text(planted.read_text("utf-8").replace("runs-on:", "run-on:", 1), "utf-8")
    assert "run-on" in actionlint(tmp_path).stdout


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_only_unless_a_job_needs_more(name: str) -> None:
    text = (ROOT / FOLDER / name).read_text("utf-8")
    assert "\npermissions:\n  contents: read\n" in text


def test_a_release_stores_no_password() -> None:
    text = (ROOT / FOLDER / "release.yml").read_text("utf-8")
    assert "id-token: write" in text
    assert "secrets." not in text
    assert "password" not in text.replace("without a stored password", "")

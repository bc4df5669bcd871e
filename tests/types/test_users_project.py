"""A small project that uses mockbroker: type checkers refuse its marked lines, and no others.

A line with a mistake ends with `# refused`. A file that is added to `project` is checked, too.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tidy.repository import ROOT

SOURCE: Final = Path(__file__).parent / "project"
MARK: Final = "# refused"
TIMEOUT_S: Final = 300

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Copy the project to where no settings of the repository apply."""
    return Path(shutil.copytree(SOURCE, tmp_path / "project"))


def marked() -> list[str]:
    return sorted(
        f"{path.name}:{number}"
        for path in SOURCE.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith(MARK)
    )


def refused(*command: str, project: Path) -> str:
    """Run a type checker, and return what it writes."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def line_of(file: str, number: int) -> str:
    return f"{Path(file).name}:{number}"


def test_mypy_refuses_the_marked_lines_and_no_others(project: Path) -> None:
    cache = ROOT / ".mypy_cache" / "users_project"  # the options are others than the repository's
    options = ("--strict", "--output=json", f"--cache-dir={cache}", ".")
    found = map(json.loads, refused("mypy", *options, project=project).splitlines())
    assert sorted({line_of(each["file"], each["line"]) for each in found}) == marked()


@pytest.mark.node
def test_pyright_refuses_the_marked_lines_and_no_others(project: Path) -> None:
    settings = project / "pyrightconfig.json"
    settings.write_text(json.dumps({"typeCheckingMode": "strict"}), encoding="utf-8")
    options = ("--outputjson", f"--pythonpath={sys.executable}")
    found: list[Any] = json.loads(refused("pyright", *options, project=project))[
        "generalDiagnostics"
    ]
    lines = {line_of(each["file"], each["range"]["start"]["line"] + 1) for each in found}
    assert sorted(lines) == marked()

"""A missing tool skips its tests with one clear line; CI skips nothing and shows slow tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.repository import ROOT

TESTS = """
import pytest

@pytest.mark.go
def test_a(): pass

@pytest.mark.go
def test_b(): pass

@pytest.mark.xfail
def test_c(): assert False

def test_d(): pass
"""
SETTINGS = """
[pytest]
markers =
    browser
    go
    java
    slow
"""
SELF_SKIPPING = "import pytest\npytest.skip('not here', allow_module_level=True)\n"

pytestmark = pytest.mark.slow


def run(folder: Path, *, ci: str, **files: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the repository's hooks where no other program is on the PATH."""
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text("utf-8"))
    (folder / "pytest.ini").write_text(SETTINGS)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=folder,
        env=os.environ
        | {
            "PATH": str(folder),
            "CI": ci,
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_tool_is_named_once(tmp_path: Path) -> None:
    result = run(tmp_path, ci="", test_tools=TESTS)
    assert result.returncode == 0
    assert result.stdout.count("go is not on the PATH") == 1
    assert "skipped 2 tests: go is not on the PATH" in result.stdout


def test_a_browser_that_is_named_but_missing_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "gone"))
    tests = TESTS.replace("go", "browser")
    result = run(tmp_path, ci="", test_tools=tests)
    assert "skipped 2 tests: chromium is not on the PATH" in result.stdout
    assert run(tmp_path, ci="true", test_tools=tests).returncode == 1


def test_in_ci_a_missing_tool_fails_the_run(tmp_path: Path) -> None:
    result = run(tmp_path, ci="true", test_tools=TESTS)
    assert result.returncode == 1
    assert "1 passed, 1 xfailed, 2 errors" in result.stdout
    assert "in CI nothing is skipped. Skipped: go is not on the PATH" in result.stdout


def test_in_ci_a_module_that_skips_itself_fails_the_run(tmp_path: Path) -> None:
    assert run(tmp_path, ci="", test_d="def test_d(): pass", test_m=SELF_SKIPPING).returncode == 0
    result = run(tmp_path, ci="true", test_m=SELF_SKIPPING)
    assert result.returncode == 2
    assert "in CI nothing is skipped. Skipped: not here" in result.stdout


def test_a_run_without_tests_fails(tmp_path: Path) -> None:
    assert run(tmp_path, ci="true").returncode == pytest.ExitCode.NO_TESTS_COLLECTED


TIMED = """
import pytest

@pytest.fixture
def data(): yield

@pytest.mark.java
@pytest.mark.slow
def test_java(data): pass

def test_plain(): pass
"""


def test_in_ci_the_slowest_tests_and_the_time_of_each_marker_are_shown(tmp_path: Path) -> None:
    for name in ("java", "javac", "mvn"):
        (tmp_path / name).touch(0o755)
    shown = run(tmp_path, ci="true", test_timed=TIMED).stdout
    assert "slowest 40 durations" in shown, shown
    table = re.findall(r"^ *[0-9.]+ s  (\w+)$", shown, re.MULTILINE)
    assert sorted(table) == ["java", "none", "slow"]
    assert "seconds by marker" not in run(tmp_path, ci="", test_timed=TIMED).stdout

"""Building of the distributions; `make dist` and CI build and try them."""

import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from tools import dist
from tools.dist import VERSIONS, Python, TrialError, first_test, main, pythons, try_out

README = """# x

## A first test

Some words.

```python
def test_it():
    assert True
```

```python
other
```
"""


def test_the_first_test_is_the_first_program_of_its_section() -> None:
    assert first_test(README) == "def test_it():\n    assert True\n"
    with pytest.raises(AssertionError, match="has a first test"):
        first_test("# x\n")


def test_the_first_test_can_be_printed_for_other_builders(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["--print-first-test"])
    assert "def test_orders_are_read_back(" in capsys.readouterr().out


def test_each_version_has_one_interpreter_that_runs() -> None:
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = list(pythons(VERSIONS))
    assert len({python.version for python in found}) == len(found)
    assert ours in {python.version for python in found}
    assert not list(pythons(["2.0"]))


def test_an_interpreter_that_does_not_run_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setattr(dist, "_candidates", Mock(return_value=[broken]))
    assert not list(pythons(["3.12"]))


def test_a_distribution_that_fails_the_first_test_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        is_test = "pytest" in map(str, command) and "-m" in map(str, command)
        return subprocess.CompletedProcess(command, int(is_test), "1 failed", "")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(TrialError, match="1 failed"):
        try_out(tmp_path / "mockbroker-1-py3-none-any.whl", Python("3.11", Path(sys.executable)))


def test_without_a_python_nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dist, "pythons", Mock(return_value=[]))
    with pytest.raises(SystemExit, match=r"none of Python 3\.11 is installed"):
        main(["--python", "3.11"])

"""Which Python the Makefile makes the environment with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.fastest_python import candidates, chosen, measured, probed

A_PYTHON = """#!/bin/sh
{answer}
"""


def a_python(folder: Path, name: str, answer: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(A_PYTHON.format(answer=answer))
    path.chmod(0o755)
    return str(path)


def test_the_first_on_the_path_is_taken_where_another_is_only_a_little_faster() -> None:
    assert chosen({"/pyenv/python3": 1.0, "/usr/bin/python3": 0.9}) == "/pyenv/python3"


def test_a_clearly_faster_one_is_taken() -> None:
    assert (
        chosen({"/pyenv/python3": 1.0, "/opt/python3": 0.8, "/usr/bin/python3": 0.7})
        == "/usr/bin/python3"
    )


def test_where_there_is_none_nothing_is_named() -> None:
    assert chosen({}) == ""


def test_python3_of_any_folder_comes_before_other_names(tmp_path: Path) -> None:
    later = a_python(tmp_path / "a", "python3.12", "exit 1")
    first = a_python(tmp_path / "b", "python3", "exit 1")
    (tmp_path / "a" / "python3").write_text("may not be run")

    assert candidates(f"{tmp_path / 'a'}{os.pathsep}{os.pathsep}{tmp_path / 'b'}") == [first, later]


@pytest.mark.parametrize(
    "answer", ["exit 1", "echo 'No module named ensurepip' >&2; exit 1", "exit 0"]
)
def test_one_that_is_too_old_or_makes_no_environment_is_left_out(
    tmp_path: Path, answer: str
) -> None:
    assert probed(a_python(tmp_path, "python3", answer)) is None


def test_two_names_of_one_python_are_measured_as_one(tmp_path: Path) -> None:
    slow = a_python(tmp_path, "python3", "echo 0.002 /usr/bin/python3.11")
    again = a_python(tmp_path, "python3.11", "echo 0.002 /usr/bin/python3.11")
    fast = a_python(tmp_path, "python3.12", "echo 0.001 /opt/bin/python3.12")

    assert measured([slow, again, fast]) == {slow: 0.002, fast: 0.001}


@pytest.mark.slow
def test_the_one_named_here_is_new_enough() -> None:
    path = os.pathsep.join([str(Path(sys.executable).resolve().parent), os.environ["PATH"]])

    named = subprocess.run(
        [sys.executable, "tools/fastest_python.py"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    asked = subprocess.run(
        [named, "-c", "import sys; print(sys.version_info >= (3, 11))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.strip() == "True"

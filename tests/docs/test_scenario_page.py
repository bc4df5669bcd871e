"""The files, commands and tests of the page about scenarios work as they stand there."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from mockbroker.scenario.reading import scenario_of
from tests.docs.test_console import SCENARIOS
from tests.support.fenced_blocks import conversations, texts_of
from tests.support.plugin import PLUGIN
from tests.support.process import PATIENCE_S, command, served
from tests.tidy.repository import ROOT

pytestmark = pytest.mark.slow

FILES: Final = {
    "yaml": "lost-ack.yaml",
    "yaml wrong.yaml": "wrong.yaml",
    "python produce.py": "produce.py",
    "python beside lost-ack.yaml": "test_beside.py",
}
"""The files of the page, by the words after the fences of their blocks."""
FAILING: Final = ("wrong.yaml", "exactly-once")
"""Words of the commands that fail."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the files of the page."""
    for words, name in FILES.items():
        (text,) = texts_of(SCENARIOS, words)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def run(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE_S,  # one of them is a test run, which imports pytest's plugins
        check=False,
    )


def test_the_commands_do_what_the_page_shows(folder: Path) -> None:
    lines = [line for text in texts_of(SCENARIOS, "console") for line in conversations(text)]
    assert lines
    with served("--json", "--admin-port", "0", "-t", "orders:1") as server:
        for line, shown in lines:
            name, *words = shlex.split(line)
            assert name == "mockbroker"
            words = [sys.executable if each == "python" else each for each in words]
            done = run(command(*words), folder, MOCKBROKER_ADMIN=server.ready["admin_url"])
            assert done.stdout == shown, done.stderr
            assert (done.returncode != 0) == any(word in line for word in FAILING), done.stderr


def test_the_test_beside_the_file_passes(folder: Path) -> None:
    words = [sys.executable, "-m", "pytest", *PLUGIN, "-q", "-p", "no:cacheprovider"]
    done = run([*words, "--rootdir=.", "test_beside.py"], folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_is_that_of_the_page() -> None:
    (shown,), (first_line,) = texts_of(SCENARIOS, "yaml"), texts_of(SCENARIOS, "yaml first line")
    text = (ROOT / "examples/lost-ack.yaml").read_text("utf-8")
    assert text.startswith(first_line.partition("=")[0])
    example, on_page = scenario_of(text, "a.yaml"), scenario_of(shown, "a.yaml")
    assert example.cluster == on_page.cluster
    assert [each.document for each in example.faults] == [each.document for each in on_page.faults]
    assert list(map(str, example.steps)) == list(map(str, on_page.steps))
    assert list(map(str, example.expectations)) == list(map(str, on_page.expectations))

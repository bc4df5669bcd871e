"""The tutorial on Spark is executed: its programs, its commands and their output."""

import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from click.testing import CliRunner

from mockbroker.cli.commands import commands
from tests.support.held_ports import held_ports
from tests.tidy.repository import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE: Final = ROOT / "docs" / "prove-your-spark-job.md"
STEP: Final = re.compile(
    r"`(?P<name>\w+\.py)`:\n\n```python\n(?P<program>.*?)^```$"
    r"|^```console\n(?P<commands>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PATIENCE_S: Final = 30
ELLIPSIS: Final = "…"
INSTALLED_BY_HAND: Final = "pip"


class Step(NamedTuple):
    """Something that a reader does: writes a program into a file, or gives a command."""

    command: str
    shown: str
    """Expected output of a command, or text of a program."""
    is_program: bool = False


def steps(text: str) -> Iterator[Step]:
    """Yield the steps of a reader, in order."""
    for found in STEP.finditer(text):
        if found["name"]:
            yield Step(found["name"], found["program"], is_program=True)
            continue
        for part in re.split(r"^\$ ", found["commands"], flags=re.MULTILINE)[1:]:
            command, _, shown = part.replace("\\\n", "").partition("\n")
            yield Step(command, shown)


def lacks(shown: str, output: str) -> list[str]:
    """List the expected lines that are missing or out of order; an ellipsis matches any lines.

    Two tasks write beside each other: numbers, as of offsets, are others each time. A finding names
    both producers if Spark had one for each attempt, which depends on what ran before.
    """
    told = re.sub(r"; producer \d+ epoch .* this one$", "", output, flags=re.MULTILINE)
    left = iter(settled(told).splitlines())
    wanted = [line for line in settled(shown).splitlines() if line != ELLIPSIS]
    return [line for line in wanted if line not in left]


def settled(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def repeated(output: str) -> int:
    """Count the records that an audit has found to be there again."""
    return sum(map(int, re.findall(r"(\d+) records? \(offset", output)))


class Shell:
    """A shell in a folder, with a cluster in its background.

    What would start Spark is run in this process, by the session that the whole run has: the same
    programs and commands, without the time that the start of a JVM takes.
    """

    def __init__(self, folder: Path, port: int, admin_port: int) -> None:
        self._folder = folder
        self._replaced = {"9092": str(port), "/tmp/shop": str(folder)}
        self._last_code = 0
        self.shown = ""
        self._background: list[subprocess.Popen[bytes]] = []
        self._environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "MOCKBROKER_ADMIN_PORT": str(admin_port),
        }

    def do(self, step: Step) -> None:
        """Do one step; a failure raises AssertionError."""
        command, shown = map(self._here, step[:2])
        words = shlex.split(command)
        if step.is_program:
            (self._folder / command).write_text(shown, "utf-8")
        elif command == "echo $?":
            assert str(self._last_code) == shown.strip()
        elif words[0] == "mockbroker" and words[-1] == "&":
            process = subprocess.Popen(self._mockbroker(words[1:-1]), env=self._environment)
            self._background.append(process)
        elif words[0] != INSTALLED_BY_HAND:
            output = self._output(words)
            assert not lacks(shown, output), output
            self.shown += output

    def _here(self, text: str) -> str:
        for there, here in self._replaced.items():
            text = text.replace(there, here)
        return text

    def _output(self, words: list[str]) -> str:
        match words:
            case ["mockbroker", "audit" | "load", *_]:
                result = CliRunner().invoke(commands, words[1:])
                if result.exception is not None and not isinstance(result.exception, SystemExit):
                    raise result.exception
                self._last_code = result.exit_code
                return result.stdout
            case ["mockbroker", *rest]:
                run = subprocess.run(
                    self._mockbroker(rest),
                    env=self._environment,
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE_S,
                    check=False,
                )
                self._last_code = run.returncode
                return run.stdout
            case ["python", program]:
                with redirect_stdout(StringIO()) as printed:
                    runpy.run_path(str(self._folder / program), run_name="__main__")
                self._last_code = 0
                return printed.getvalue()
            case _:
                raise AssertionError(words)

    def _mockbroker(self, words: list[str]) -> list[str]:
        return [sys.executable, "-m", "mockbroker", *words]

    def close(self) -> None:
        """Stop the background processes."""
        for process in self._background:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.slow
@pytest.mark.timeout(300)
# py4j leaves it to the garbage collector to close its sockets
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_every_step_of_the_tutorial_prints_the_output_on_the_page(
    mockbroker_spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with held_ports(2) as (port, admin_port), closing(Shell(tmp_path, port, admin_port)) as shell:
        for step in steps(PAGE.read_text("utf-8")):
            shell.do(step)
    assert repeated(shell.shown) == 50  # as the page says


def test_steps_are_programs_and_commands_with_their_output() -> None:
    text = "This is `a.py`:\n\n```python\nx = 1\n```\n```console\n$ b \\\n    c\nd\n$ e\n```\n"
    assert list(steps(text)) == [
        Step("a.py", "x = 1\n", is_program=True),
        Step("b     c", "d\n"),
        Step("e", ""),
    ]


def test_every_program_of_the_page_has_a_file() -> None:
    text = PAGE.read_text("utf-8")
    programs = [step for step in steps(text) if step.is_program]
    assert len(programs) == text.count("```python\n") == 3


def test_a_missing_output_line_is_detected() -> None:
    assert lacks("a\n…\nc\n", "a\nb\nc\n") == []
    assert lacks("c\na\n", "a\nb\nc\n") == ["a"]
    assert lacks("d\n", "a\n") == ["d"]
    assert lacks("offset 7\n", "offset 12\n") == []
    assert repeated("24 records (offsets 1..24) are\n1 record (offset 7) is") == 25

"""The console examples on the command line page show the real output."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.process import PATIENCE_S, command, served
from tests.tidy.repository import ROOT

PAGE: Final = ROOT / "docs/how-to/use-the-command-line.md"
BLOCK: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VOLATILE: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3}(?:\+00:00|Z)?|127\.0\.0\.\d:\d+ *|ADDRESS +"
)


def conversations(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a page with its expected output."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            yield line, shown


def settled(text: str) -> str:
    """Leave out what differs from run to run: times, and addresses with the blanks after them."""
    return VOLATILE.sub("~", text)


@pytest.mark.slow
def test_every_command_prints_the_output_on_its_page(tmp_path: Path) -> None:
    # A host of its own: the page also says what has not come, and at a port of 127.0.0.1 a client
    # of another test may still be looking for its broker.
    options = "--json --host 127.0.0.2 --admin-port 0 --brokers 2 -t orders:2"
    with served(*options.split()) as server:
        environment = os.environ | {
            "MOCKBROKER_ADMIN": server.ready["admin_url"],
            "PYTHONPATH": str(ROOT),
        }
        for line, shown in conversations(PAGE.read_text("utf-8")):
            name, *words = shlex.split(line)
            assert name == "mockbroker"
            run = subprocess.run(
                command(*words),
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            assert settled(run.stdout) == settled(shown), line


def test_a_console_block_is_parsed_into_commands_and_outputs() -> None:
    text = "```console\n$ a b\nc\nd\n$ e\n```\n```text\n$ f\n```\n"
    assert list(conversations(text)) == [("a b", "c\nd\n"), ("e", "")]
    assert settled("at 127.0.0.1:9092,127.0.0.1:93  |") == "at ~,~|"

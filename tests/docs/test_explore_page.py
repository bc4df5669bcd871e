"""The program and the commands of the page about explorations work as they stand there."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_console import EXPLORING
from tests.support.fenced_blocks import conversations, texts_of
from tests.support.process import PATIENCE_S, command
from tests.support.reader_console import prints
from tests.tidy.repository import ROOT

pytestmark = pytest.mark.slow


def test_the_failure_is_found_and_repeated(tmp_path: Path) -> None:
    (program,) = texts_of(EXPLORING, "python send.py")
    (tmp_path / "send.py").write_text(program, "utf-8")
    lines = [line for text in texts_of(EXPLORING, "console") for line in conversations(text)]
    assert len(lines) == 2
    for line, shown in lines:
        name, *words = shlex.split(line)
        assert name == "mockbroker"
        done = subprocess.run(
            command(*(sys.executable if each == "python" else each for each in words)),
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        assert not shown or prints(done.stdout, shown), done.stdout
    assert "offset 1 repeats offset 0" in done.stderr

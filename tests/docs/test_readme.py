"""The README's programs run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.repository import ROOT

BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(text: str) -> list[str]:
    """Give the Python programs of a text in Markdown."""
    return BLOCK.findall(text)


@pytest.mark.slow
def test_every_program_of_the_readme_passes(tmp_path: Path) -> None:
    blocks = python_blocks((ROOT / "README.md").read_text("utf-8"))
    assert blocks
    for number, block in enumerate(blocks):
        (tmp_path / f"test_block_{number}.py").write_text(block, "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_program_is_found_between_its_fences() -> None:
    text = "a\n```python\nx = 1\n```\nb\n```console\n$ y\n```\n```python\nz\n```\n"
    assert python_blocks(text) == ["x = 1\n", "z\n"]

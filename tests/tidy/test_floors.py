"""The contracts between the floors hold, and each of them would notice a breach."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.repository import ROOT

FLOORS = "The service stands on state, and state on protocol"
VOCABULARY = "State knows protocol's vocabulary, not its bytes"
PURITY = "The lower floors do no IO, read no clock and draw no lots"
NO_WIRE = "State has no wire libraries"

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy what the contracts are about, to be broken."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "mockbroker", tmp_path / "mockbroker", ignore=ignored)
    return tmp_path


def broken_contracts(tree: Path) -> list[str]:
    lint = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [lint, "--no-cache", "--no-logo"], cwd=tree, check=False, capture_output=True, text=True
    )
    broken = [line.removesuffix(" BROKEN") for line in run.stdout.splitlines() if "BROKEN" in line]
    assert bool(broken) == bool(run.returncode), run.stdout + run.stderr
    return broken


def test_no_contract_is_broken(tree: Path) -> None:
    assert broken_contracts(tree) == []


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("protocol/types.py", "import mockbroker.state", FLOORS),
        ("state/timers.py", "import mockbroker.broker.api_table", FLOORS),
        ("wire/client.py", "import mockbroker.spark", FLOORS),
        ("unplaced.py", "", FLOORS),
        ("state/timers.py", "import mockbroker.protocol.schema.message", VOCABULARY),
        ("state/timers.py", "import time", PURITY),
        ("protocol/types.py", "import asyncio", PURITY),
        ("state/timers.py", "import crc32c", NO_WIRE),
    ],
)
def test_a_breach_is_noticed(tree: Path, module: str, line: str, contract: str) -> None:
    with (tree / "mockbroker" / module).open("a") as source:
        source.write(f"\n{line}\n")
    assert contract in broken_contracts(tree)

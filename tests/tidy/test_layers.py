"""The contracts between the layers hold, and each of them notices a breach."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.repository import ROOT

LAYERS = "Every import goes down the layers"
VOCABULARY = "State knows the vocabulary of protocol, not its bytes"
LOGS = "A log knows neither transactions nor groups"
HANDLERS = "Handlers know neither faults nor sockets nor observers"
PURITY = "The lower layers do no IO, read no clock and make no random choices"
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
    broken = [line.partition(" BROKEN")[0] for line in run.stdout.splitlines() if "BROKEN" in line]
    assert bool(broken) == bool(run.returncode), run.stdout + run.stderr
    return broken


def test_no_contract_is_broken(tree: Path) -> None:
    assert broken_contracts(tree) == []


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        # One for each line of the layers: the lower one imports the one above it.
        ("errors.py", "import mockbroker.state.timers", LAYERS),
        ("protocol/types.py", "import mockbroker.errors", LAYERS),
        ("state/timers.py", "import mockbroker.settings.duration", LAYERS),
        ("settings/duration.py", "import mockbroker.events.logging", LAYERS),
        ("events/logging.py", "import mockbroker.broker.call", LAYERS),
        ("broker/call.py", "import mockbroker.server.connection", LAYERS),
        ("server/listener.py", "import mockbroker.faults.fault_plan", LAYERS),
        ("faults/strike.py", "import mockbroker.journal.entry", LAYERS),
        ("journal/entry.py", "import mockbroker.audit.verdict", LAYERS),
        ("audit/verdict.py", "import mockbroker.wire.client", LAYERS),
        ("wire/client.py", "import mockbroker.control.cluster_clock", LAYERS),
        ("control/cluster_clock.py", "import mockbroker.http.guard", LAYERS),
        ("http/guard.py", "import mockbroker.spark.connector", LAYERS),
        ("spark/connector.py", "import mockbroker.cluster", LAYERS),
        ("at.py", "import mockbroker.cluster", LAYERS),
        ("cluster.py", "import mockbroker.cli.main", LAYERS),
        ("cli/main.py", "import mockbroker.pytest_plugin", LAYERS),
        ("pytest_plugin.py", "import mockbroker.pipeline.__main__", LAYERS),
        (
            "state/timers.py",
            "if TYPE_CHECKING:\n    import mockbroker.broker.api_table",
            LAYERS,
        ),
        ("unplaced.py", "", LAYERS),
        ("state/timers.py", "import mockbroker.protocol.schema.message", VOCABULARY),
        ("state/log/segment.py", "import mockbroker.state.group.group_coordinator", LOGS),
        ("broker/handlers/end_txn.py", "import mockbroker.events.event_bus", HANDLERS),
        ("state/timers.py", "import time", PURITY),
        ("protocol/types.py", "import asyncio", PURITY),
        ("state/timers.py", "import crc32c", NO_WIRE),
    ],
)
def test_a_breach_is_noticed(tree: Path, module: str, line: str, contract: str) -> None:
    with (tree / "mockbroker" / module).open("a") as source:
        source.write(f"\n{line}\n")
    assert contract in broken_contracts(tree)

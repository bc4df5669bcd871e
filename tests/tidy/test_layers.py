"""The contracts between the layers hold, and each of them notices a breach."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
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


BREACHES = [
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
    ("control/cluster_clock.py", "import mockbroker.scenario.located", LAYERS),
    ("scenario/located.py", "import mockbroker.telemetry.measurements", LAYERS),
    ("telemetry/measurements.py", "import mockbroker.http.guard", LAYERS),
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
]
"""Module, a line that it gets, and the contract that the line breaks."""

HEADING = re.compile(r"^(\w.*)\n-{3,}$", re.MULTILINE)


def reported(tree: Path) -> Mapping[str, str]:
    """Return what is reported about each contract that is broken."""
    lint = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [lint, "--no-cache", "--no-logo"],
        cwd=tree,
        env=os.environ | {"COLUMNS": "200"},  # one line for each import
        check=False,
        capture_output=True,
        text=True,
    )
    _, _, details = run.stdout.partition("Broken contracts\n")
    _, *parts = HEADING.split(details)
    broken = dict(zip(parts[::2], parts[1::2], strict=True))
    assert bool(broken) == bool(run.returncode), run.stdout + run.stderr
    return broken


def copied(folder: Path) -> Path:
    """Copy what the contracts are about, to be broken."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "mockbroker", folder / "mockbroker", ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def breaches(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return what is reported about a tree with every breach."""
    tree = copied(tmp_path_factory.mktemp("layers"))
    for module, line, _ in BREACHES:
        with (tree / "mockbroker" / module).open("a") as source:
            source.write(f"\n{line}\n")
    return reported(tree)


def test_no_contract_is_broken(tmp_path: Path) -> None:
    assert reported(copied(tmp_path)) == {}


@pytest.mark.parametrize(("module", "line", "contract"), BREACHES)
def test_a_breach_is_noticed(
    breaches: Mapping[str, str], module: str, line: str, contract: str
) -> None:
    name = f"mockbroker.{module.removesuffix('.py').replace('/', '.')}"
    chain = re.escape(f"{name} -> {line.rpartition(' ')[2]}") + r" \(l\.\d+\)" if line else name
    alone = re.compile(rf"^- +{chain}\n(?! )", re.MULTILINE)
    assert alone.search(breaches[contract])

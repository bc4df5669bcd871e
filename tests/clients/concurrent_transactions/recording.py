"""Stored measurements: the answers to each client on each release of Kafka."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from tests.clients.concurrent_transactions.measurement import Measured

RECORDED: Final = Path(__file__).with_name("recorded.json")

Recording: TypeAlias = Mapping[str, Mapping[str, Sequence[Measured]]]
"""Measurements by the version of Kafka and the title of the client, one for each round."""


def read(path: Path) -> Recording:
    """Read a recording; a missing file is an empty one."""
    if not path.exists():
        return {}
    versions = json.loads(path.read_text("utf-8"))
    return {
        version: {client: [Measured(**each) for each in cell] for client, cell in cells.items()}
        for version, cells in versions.items()
    }


def write(path: Path, recording: Recording) -> None:
    """Write a recording, one measurement per line."""
    versions = (
        _listed(f"  {json.dumps(version)}: {{", (_cell(cells, name) for name in cells), "  }")
        for version, cells in recording.items()
    )
    path.write_text(_listed("{", versions, "}") + "\n", "utf-8")


def _cell(cells: Mapping[str, Sequence[Measured]], name: str) -> str:
    rounds = (f"      {json.dumps(each._asdict())}" for each in cells[name])
    return _listed(f"    {json.dumps(name)}: [", rounds, "    ]")


def _listed(before: str, lines: Iterable[str], after: str) -> str:
    return before + "\n" + ",\n".join(lines) + "\n" + after

"""Stored measurements: the result of each row with each client."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.clients.kip_691.template import Outcome, Verdict

RECORDED: Final = Path(__file__).with_name("recorded.json")
"""Against mockbroker."""
RECORDED_ON_KAFKA: Final = Path(__file__).with_name("recorded_on_kafka.json")
"""Against real Kafka, as far as it can be brought to it."""

Recording: TypeAlias = Mapping[str, Mapping[str, Outcome]]
"""Outcomes by the name of the row and the title of the client."""


def read(path: Path) -> Recording:
    """Read a recording."""
    rows = json.loads(path.read_text("utf-8"))
    return {
        row: {client: _outcome(line) for client, line in cells.items()}
        for row, cells in rows.items()
    }


def _outcome(kept: dict[str, Any]) -> Outcome:
    return Outcome(
        verdict=Verdict(kept["verdict"]),
        answered=tuple(kept.get("answered", ())),
        raised=tuple(kept.get("raised", ())),
        is_exactly_once=kept["exactly_once"],
    )


def write(path: Path, recording: Recording) -> None:
    """Write a recording, one outcome per line."""
    rows = (
        f"  {json.dumps(row)}: {{\n" + ",\n".join(_lines(cells)) + "\n  }"
        for row, cells in recording.items()
    )
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def _lines(cells: Mapping[str, Outcome]) -> list[str]:
    return [f"    {json.dumps(client)}: {json.dumps(_kept(cells[client]))}" for client in cells]


def _kept(outcome: Outcome) -> dict[str, Any]:
    kept: dict[str, Any] = {"verdict": outcome.verdict.value}
    if outcome.answered:
        kept["answered"] = outcome.answered
    if outcome.raised:
        kept["raised"] = outcome.raised
    return {**kept, "exactly_once": outcome.is_exactly_once}

"""Recorded results of the scenarios on real Kafka: one file per scenario."""

import json
from pathlib import Path
from typing import Any, Final

from tests.clients.spark.stage import Played
from tests.conformance.golden import pretty
from tests.conformance.stored import Shown

FOLDER: Final = Path(__file__).with_name("golden")


def names() -> list[str]:
    """List the names of the recorded scenarios."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(scenario: str) -> Played:
    """Read the recording of a scenario."""
    kept: dict[str, Any] = json.loads(_path(scenario).read_text("utf-8"))
    return Played(kept["outcome"], kept["asked"])


def write(scenario: str, kafka: str, spark: str, played: Played) -> None:
    """Write the recording of a scenario."""
    asked: Shown = json.loads(json.dumps(played.asked))
    FOLDER.mkdir(exist_ok=True)
    content: Shown = {"kafka": kafka, "spark": spark, "asked": asked, "outcome": played.outcome}
    _path(scenario).write_text(pretty(content) + "\n", "utf-8")


def _path(scenario: str) -> Path:
    return FOLDER / f"{scenario}.json"

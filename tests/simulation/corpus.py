"""Corpus of plans that have failed once: they run in each test run, and a fleet adds to them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.simulation.plan import Plan

CORPUS: Final = Path(__file__).with_name("corpus.jsonl")


def plans(path: Path = CORPUS) -> Iterator[Plan]:
    """Yield the plans of a corpus."""
    if path.exists():
        for line in path.read_text("utf-8").splitlines():
            yield Plan.from_json(json.loads(line))


def add(plan: Plan, broke: str, path: Path = CORPUS) -> None:
    """Add a plan that has failed, with the promise that it has broken."""
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(plan.as_json() | {"broke": broke}) + "\n")

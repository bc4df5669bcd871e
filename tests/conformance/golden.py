"""Golden files: what real Kafka answered, one file for each scenario and release."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from tests.conformance.releases import Release
from tests.conformance.stored import Shown
from tests.conformance.talk import Step

FOLDER: Final = Path(__file__).parent / "golden"
LINE_LENGTH: Final = 110


def path_of(scenario: str, release: Release) -> Path:
    """Say where the answers of a release to a scenario are kept."""
    return FOLDER / release.folder / f"{scenario}.json"


def write(scenario: str, release: Release, steps: Sequence[Step]) -> Path:
    """Keep the answers to a scenario."""
    path = path_of(scenario, release)
    path.parent.mkdir(parents=True, exist_ok=True)
    content: Shown = {
        "scenario": scenario,
        "kafka": release.folder,
        "steps": [step.written() for step in steps],
    }
    path.write_text(pretty(content) + "\n", encoding="utf-8")
    return path


def read(scenario: str, release: Release) -> list[Step]:
    """Give the recorded answers to a scenario."""
    content = json.loads(path_of(scenario, release).read_text("utf-8"))
    return [
        Step(name=step["step"], asked=step["asked"], answer=cast("Shown", step["answer"]))
        for step in content["steps"]
    ]


def pretty(value: Shown, indent: int = 0) -> str:
    """Write JSON with one line for whatever fits into one: short, and easy to compare."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= LINE_LENGTH or not isinstance(value, dict | list):
        return flat
    space = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [
            f"{space}{json.dumps(key, ensure_ascii=False)}: {pretty(item, indent + 1)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{' ' * indent}}}"
    parts = [space + pretty(item, indent + 1) for item in value]
    return "[\n" + ",\n".join(parts) + f"\n{' ' * indent}]"

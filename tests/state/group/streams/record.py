"""Pass the recorded cases of streams groups to Kafka's own classes again.

    python -m tests.state.group.streams.record

Each line of a recording is a random case with the result of Kafka 4.4.0; the cases stay, and their
results are written again. Needs Java 17 and, for the jars on first use, Maven.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tools.kafka_releases import fetch

RELEASE: Final = "4.4.0"
FOLDER: Final = Path(__file__).parent
RECORDINGS: Final = {
    "assignments": FOLDER / "assignor" / "recorded_assignments.jsonl",
    "reconciliations": FOLDER / "recorded_reconciliations.jsonl",
    "topologies": FOLDER / "topics" / "recorded_topologies.jsonl",
}


def main() -> int:
    """Record everything again, and print what has changed."""
    for kind, path in RECORDINGS.items():
        cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        recorded = [case.pop("result") for case in cases]
        results = results_of(kind, cases)
        changed = sum(map(_differ, recorded, results))
        lines = [
            written({**case, "result": each}) for case, each in zip(cases, results, strict=True)
        ]
        path.write_text("".join(lines), "utf-8")
        sys.stdout.write(f"{path.name}: {len(lines)} cases, {changed} with another result\n")
    return 0


def results_of(kind: str, cases: list[Any]) -> list[Any]:
    """Return the results of Kafka's classes."""
    program = FOLDER / "RecordStreamsGroups.java"
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    command = ["java", quiet, "-cp", f"{fetch(RELEASE)}/*", str(program), kind]
    ran = subprocess.run(
        command, input="".join(map(written, cases)), stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def written(value: Any) -> str:
    """Return a value as a line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _differ(recorded: Any, result: Any) -> bool:
    return bool(recorded != result)


if __name__ == "__main__":
    sys.exit(main())

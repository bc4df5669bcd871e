"""Write the table of docs/reference/speed.md from measurements of the bench.

    make bench ARGS="--json bench.json"
    python -m tools.speed_table bench.json [another.json ...]

If several files have a figure, the last one counts, so that some groups can be measured again.
Measure on an idle machine: the table names the machine.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.figures import FIGURES, number
from bench.report import US

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "speed.md"

_LOAD: Final = re.compile(r", load [\d.]+ before the run")
_BEGIN: Final = "<!-- The speed table is made by tools/speed_table.py. -->\n"
_END: Final = "<!-- The speed table ends here. -->\n"
_COLUMNS: Final[Mapping[str, str]] = {
    US: "mockbroker",
    "kafka": "Kafka 4.4.0",
    "rdkafka-mock": "librdkafka's mock",
}
ROWS: Final[Mapping[str, str]] = {
    "start_ms": "process start to first Metadata answer",
    "idle_rss": "memory of an idle process",
    "fresh_ms": "a fresh cluster on a running loop",
    "round_trip_us": "produce round trip, one at a time, median",
    "bounded_16k_gb_s": "produce, 16 KiB batches, bounded retention",
    "bounded_640k_gb_s": "produce, 640 KiB batches, bounded retention",
    "fetch_17k_gb_s": "fetch, answers of 1 MiB",
    "produce_100_b_per_s": "confluent-kafka produces 1 M × 100 B",
    "consume_100_b_per_s": "confluent-kafka consumes them",
    "transactions_per_s": "confluent-kafka: begin, 10 messages, commit",
    "raw_transactions_per_s": "a raw client: AddPartitionsToTxn, Produce, EndTxn",
    "group_rebalance_ms": "500 members of a group rebalance",
    "first_poll_confluent_kafka_ms": "a fresh cluster's first group, subscribe to first record",
    "commit_p50_us": "offset commit, one at a time, median",
    "journal_memory_bulk_share": "bulk produce with a journal in memory, of that without",
    "journal_jsonl_bulk_share": "– as JSON lines",
    "journal_parquet_bulk_share": "– as Parquet",
    "spark_read_per_s": "PySpark reads 1 M × 100 B",
    "spark_batches_per_s": "– only the batches (`kafka_batches`), records in them",
    "audit_spark_10m_s": "PySpark audits a journal of 10 M rows",
}
"""Figures of the table, with their titles."""
_KEPT: Final[Mapping[tuple[str, str], str]] = {
    ("bounded_16k_gb_s", "rdkafka-mock"): "keeps 5 MiB",
    ("bounded_640k_gb_s", "rdkafka-mock"): "keeps 5 MiB",
}
"""Remarks on some cells."""


def table(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return the table, and below it the machine.

    Raises: ValueError if a figure was not measured.
    """
    figures: dict[str, Any] = {}
    for document in documents:
        figures |= document["figures"]
    missing = [key for key in ROWS if figures.get(key, {}).get("median", {}).get(US) is None]
    if missing:
        raise ValueError(f"not measured: {', '.join(missing)}")
    lines = [_line(["", *_COLUMNS.values()]), _line(["---"] * (len(_COLUMNS) + 1))]
    for key, title in ROWS.items():
        medians = figures[key]["median"]
        lines.append(_line([title, *(_cell(key, name, medians.get(name)) for name in _COLUMNS)]))
    machines = dict.fromkeys(_LOAD.sub("", str(document["machine"])) for document in documents)
    return "\n".join([*lines, "", f"Medians, on {'; and on '.join(machines)}.", ""])


def _cell(key: str, name: str, value: float | None) -> str:
    if value is None:
        return "–"
    kept = _KEPT.get((key, name))
    unit = f" {FIGURES[key].unit.value}" if name == US else ""
    return number(value) + unit + (f" ({kept})" if kept else "")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def with_table(text: str, made: str) -> str:
    """Return the text of the page with a new table.

    Raises: ValueError if the text has no place for it.
    """
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError("the page has no place for the table")
    return f"{before}{_BEGIN}\n{made}\n{_END}{after}"


def main(paths: Sequence[str]) -> None:
    """Write the table."""
    if not paths:
        sys.exit(__doc__)
    documents = [json.loads(Path(path).read_text("utf-8")) for path in paths]
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), table(documents)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

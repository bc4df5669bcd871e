"""Write the tables of speed in README.md and docs/reference/speed.md from a run of the bench.

    make bench ARGS="--json bench.json"
    python -m tools.speed_table bench.json [another.json ...]

If several files have a figure, the last one counts, so that some groups can be measured again.
README.md needs the groups produce, java, clients, fetch and audit, and is written first; the page
needs all of them.
Measure on an idle machine: the tables name the machine.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.competitors import FLOOR, KAFKA_VERSION, US
from bench.figure import number
from bench.figures import FIGURES

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
PAGE: Final = ROOT / "docs" / "reference" / "speed.md"

_LOAD: Final = re.compile(r", load [\d.]+ before the run")
_BEGIN: Final = "<!-- The speed table is made by tools/speed_table.py. -->\n"
_END: Final = "<!-- The speed table ends here. -->\n"
_COLUMNS: Final[Mapping[str, str]] = {
    US: "mockbroker",
    FLOOR: "the floor",
    "kafka": f"Kafka {KAFKA_VERSION}",
    "rdkafka-mock": "librdkafka's mock",
    "kfake": "kfake",
}
README_ROWS: Final[Mapping[str, str]] = {
    "produce_1_per_s": "produce, 1 record of 100 B, pipelined",
    "produce_1_p50_us": "– one at a time, median",
    "produce_15_mb_s": "– batches of 15 records",
    "produce_150_mb_s": "– batches of 150 records",
    "produce_640k_mb_s": "– one record of 640 KB",
    "produce_100_b_per_s": "confluent-kafka produces 1 M × 100 B",
    "produce_100_b_cpu_us": "– CPU of the broker",
    "java_plain_per_s": "Java's producer, 12 partitions",
    "java_plain_latency_ms": "– mean latency",
    "fetch_17k_gb_s": "fetch, answers of 1 MiB",
    "audit_regular_s": "audit of a journal of 1 M rows: CPU",
    "audit_local_s": "– of 25,000 producers, a quarter of the rows irregular",
}
"""Figures of README's table, with their titles."""
ROWS: Final[Mapping[str, str]] = {
    "start_ms": "process start to first Metadata answer",
    "idle_rss": "memory of an idle process",
    "fresh_ms": "a fresh cluster on a running loop",
    **README_ROWS,
    "produce_text_mb_s": "produce, batches of 150 records of text, which compresses",
    "java_lz4_per_s": "Java's producer with lz4",
    "java_lz4_latency_ms": "– mean latency",
    "consume_100_b_per_s": "confluent-kafka consumes 1 M × 100 B",
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
    "spark_eos_per_s": "– writes as many exactly once (`kafka_eos`), as a stream",
    "spark_eos_share": "– the same, of the rate of Spark's own sink",
    "spark_eos_save_share": "– saves with keys and many lengths, of the rate of Spark's own sink",
}
"""Figures of the page's table."""


def table(documents: Sequence[Mapping[str, Any]], rows: Mapping[str, str]) -> str:
    """Return the table.

    Raises: ValueError if a figure was not measured.
    """
    figures: dict[str, Any] = {}
    for document in documents:
        figures |= document["figures"]
    missing = [key for key in rows if figures.get(key, {}).get("median", {}).get(US) is None]
    if missing:
        raise ValueError(f"not measured: {', '.join(missing)}")
    lines = [_line(["", *_COLUMNS.values()]), _line(["---"] * (len(_COLUMNS) + 1))]
    for key, title in rows.items():
        lines.append(_line([title, *(_cell(key, name, figures[key]) for name in _COLUMNS)]))
    return "\n".join([*lines, ""])


def origin(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return how many runs there were, and on which machines."""
    machines = dict.fromkeys(_LOAD.sub("", str(document["machine"])) for document in documents)
    rounds = max(document["rounds"] for document in documents)
    return f"Medians of {rounds} runs, on {'; and on '.join(machines)}.\n"


def _cell(key: str, name: str, figure: Mapping[str, Any]) -> str:
    value = figure["median"].get(name)
    if value is None:
        return "–"
    text = number(value)
    if name == US:
        text += f" {FIGURES[key].unit.value}"
    share = figure.get("share_of_floor", {}).get(name)
    if share is None:
        return text
    return f"{text} ({share}{' of the floor' if name == US else ''})"


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
    return f"{before}{_BEGIN}{made}{_END}{after}"


def main(paths: Sequence[str]) -> None:
    """Write the tables."""
    if not paths:
        sys.exit(__doc__)
    documents = [json.loads(Path(path).read_text("utf-8")) for path in paths]
    try:
        _write(README, table(documents, README_ROWS))
        _write(PAGE, f"{table(documents, ROWS)}\n{origin(documents)}\n")
    except ValueError as error:
        sys.exit(str(error))


def _write(page: Path, made: str) -> None:
    page.write_text(with_table(page.read_text("utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

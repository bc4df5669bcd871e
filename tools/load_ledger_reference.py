"""Write docs/reference/load-ledger.md from the declarations of a load's ledger and its plans.

python -m tools.load_ledger_reference
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mockbroker.spark.load.load_ledger import (
    MANIFEST,
    RECORD_HEADER,
    SCHEMA_VERSION,
    SENT_COLUMNS,
    VISIBLE_COLUMNS,
    LedgerColumn,
)
from mockbroker.spark.load.load_plan import PLANS

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "load-ledger.md"

_HEAD: Final = f"""# The ledger of a load

<!-- Made by `make docs` (tools/load_ledger_reference.py) from mockbroker/spark/load/. -->

Version {SCHEMA_VERSION}. `mockbroker load` sends records from tasks of Spark
while things go wrong, and writes down what it sent and what it was told; `audit --ledger` joins it.

```console
$ mockbroker load --bootstrap localhost:9092 --topic orders:4 \\
    --tasks 8 --records 10000 --client confluent,kafka-python --transactional \\
    --plan zombies --seed 7 --out out/ledger
```

Topic, tasks and records say what the application wants once: records 0 to R - 1 of each task, with
a name each, in the header `{RECORD_HEADER}`. A load wants a topic of its own: done twice with one
seed, it has sent everything twice. Everything that is drawn by lot comes from the seed, which is
printed: which tasks fail and where, what is aborted, where a record goes. What brokers answer, and
when, does not.

## Files

A ledger is a folder, which workers see under the same name as the driver:

- `{MANIFEST}`: `schema_version`, the `seed`, the `plan`, how producers sent (`delivery`), the
  rules that should find something (`expected`), topic, tasks and records, `counts`, `waiting`: by
  partition, from where on readers waited for open transactions; and `is_closed`: whether the load
  came to its end.
- `part-TTTTT-AA.parquet`: what attempt AA of task TTTTT sent, a row for each record. An attempt
  that failed has its file, and one whose process died.
- `visible-00001.parquet`: the records that a reader of committed records found when all was sent.
  A journal knows offsets and no names, so this is what tells that a record is there twice.
"""

_PLANS: Final = """
## Plans

What clients do wrong works on any cluster; what brokers do wrong needs a mockbroker, and its admin
API (`--admin`, `MOCKBROKER_ADMIN`). `plain` producers have no producer id (`--plain`), `idempotent`
ones do, `transactional` ones (`--transactional`) send in transactions. An audit finds exactly what
stands here; where a producer is not named, the plan is not about it.

| plan | what goes wrong | where | plain | idempotent | transactional |
| --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """Write the page."""
    return "".join(
        (
            _HEAD,
            "\n## What was sent\n\n",
            _table(SENT_COLUMNS),
            "\n## What is visible\n\n",
            _table(VISIBLE_COLUMNS),
            _PLANS,
            *_plans(),
        )
    )


def _table(columns: Sequence[LedgerColumn]) -> str:
    lines = [f"| `{column.name}` | {column.kind} | {column.about} |\n" for column in columns]
    return "".join(("| column | type | what it says |\n| --- | --- | --- |\n", *lines))


def _plans() -> Iterator[str]:
    for name, plan in PLANS.items():
        where = "brokers" if plan.needs_mockbroker else "clients"
        found = [plan.expected.get(each) for each in ("plain", "idempotent", "transactional")]
        cells = " | ".join("" if each is None else _rules(each) for each in found)
        yield f"| `{name}` | {plan.about} | {where} | {cells} |\n"


def _rules(names: frozenset[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"


def main() -> None:
    """Write the page where it belongs."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()

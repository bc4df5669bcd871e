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

**You want it when** you put a cluster under faults from Spark tasks, and audit what it did.
**It needs** the extra `spark`, Java 17 or newer, and the clients that `--client` names.

Version {SCHEMA_VERSION}. `mockbroker load` sends records from Spark tasks during
faults, and writes a ledger of the records and the responses to them. `audit --ledger` joins it.

```console elsewhere
$ mockbroker load --bootstrap localhost:9092 --topic orders:4 \\
    --tasks 8 --records 10000 --client confluent,kafka-python --transactional \\
    --plan zombies --seed 7 --out out/ledger
```

The application wants each record once: records 0 to R - 1 of each task, each with an id in the
header `{RECORD_HEADER}`. Use a new topic for each load: two loads with one seed send the same
records twice. The seed, which is printed, determines all random choices: which tasks fail and
where, which transactions abort, and the partition of each record. It does not determine the
responses of brokers or their timing.

## Files

A ledger is a folder that workers and the driver see under the same path:

- `{MANIFEST}`: `schema_version`, the `seed`, the `plan`, the kind of producers
  (`delivery`), the rules that must have findings (`expected`), topic, tasks and records, `counts`,
  `waiting` (by partition, the offset at which readers waited for open transactions), and
  `is_closed` (whether the load has completed).
- `part-TTTTT-AA.parquet`: the records that attempt AA of task TTTTT sent. Failed attempts and
  attempts whose process died have a file too.
- `visible-00001.parquet`: the records that a reader of committed records found at the end. A
  journal has offsets but no ids, so this file shows duplicates.
"""

_PLANS: Final = """
## Plans

Plans in which clients fail work on any cluster. Plans in which brokers fail need mockbroker and its
admin API (`--admin`, `MOCKBROKER_ADMIN`). `plain` producers have no producer id (`--plain`),
`idempotent` ones do, and `transactional` ones (`--transactional`) send in transactions. An audit
finds exactly the rules in this table; a plan does not apply to producers with an empty cell.

| plan | failure | where | plain | idempotent | transactional |
| --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """Write the page."""
    return "".join(
        (
            _HEAD,
            "\n## Sent records\n\n",
            _table(SENT_COLUMNS),
            "\n## Visible records\n\n",
            _table(VISIBLE_COLUMNS),
            _PLANS,
            *_plans(),
        )
    )


def _table(columns: Sequence[LedgerColumn]) -> str:
    lines = [f"| `{column.name}` | {column.kind} | {column.about} |\n" for column in columns]
    return "".join(("| column | type | meaning |\n| --- | --- | --- |\n", *lines))


def _plans() -> Iterator[str]:
    for name, plan in PLANS.items():
        where = "brokers" if plan.needs_mockbroker else "clients"
        found = [plan.expected.get(each) for each in ("plain", "idempotent", "transactional")]
        cells = " | ".join("" if each is None else _rules(each) for each in found)
        yield f"| `{name}` | {plan.about} | {where} | {cells} |\n"


def _rules(names: frozenset[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()

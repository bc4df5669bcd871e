"""Write docs/reference/journal.md from the declaration of the journal's columns.

python -m tools.journal_reference
"""

from pathlib import Path
from typing import Final

from mockbroker.journal.entry import COLUMNS, KINDS, SCHEMA_VERSION
from mockbroker.journal.files.manifest import PART_S, ROWS_A_PART

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "journal.md"

_HEAD: Final = f"""# The journal's schema

**You want it when** you select entries of a journal by column, or read its files.
[How to read the journal](../how-to/read-the-journal.md) shows how to record one.
**It needs** nothing but mockbroker; Parquet needs the extra `spark`.

Version {SCHEMA_VERSION}. This page is made by `make docs` from `mockbroker/journal/entry.py`.

An entry is one event. It has a row for each of its items: a Produce to three partitions is one
entry of three rows, which share a `seq`. All rows have the same flat columns; columns that do not
apply are empty, and JSON lines leave them out. `call` joins a request with its appends, its faults
and its response. A Fetch lists only the partitions in the request, not those of its session;
Metadata lists the topics.

## Files

A journal on disk is a folder. `journal.json` has `schema_version`, `format`, `cluster_id`, the
release (`kafka`), `seed`, the version of `mockbroker`, and `is_closed`: whether the journal is
complete, in `part_count` parts of `row_count` rows in all. A journal that was exported begins after
`dropped_count` entries that memory had dropped. The rows are in parts, in order, and the numbers
`seq` of entries have no gaps, so that an audit notices what is missing:

- `part-00001.jsonl`, …: one object a line. If the process was killed, the last line may be cut
  off; the lines before it are valid.
- `part-00001.parquet`, …: a part appears when it is finished, after
  {ROWS_A_PART:,} rows or {PART_S:.0f} seconds. The rows within a part are not ordered: sort them by
  `seq`.
"""


def page() -> str:
    """Write the page."""
    lines = [_HEAD, "## Kinds\n", "| kind | event |"]
    lines += ["| --- | --- |"]
    lines += [f"| `{kind}` | {about} |" for kind, about in KINDS.items()]
    lines += ["\n## Columns\n", "| column | type | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{column.name}` | {column.kind} | {column.about} |" for column in COLUMNS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")

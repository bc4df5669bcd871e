"""Write docs/reference/journal.md from the declaration of the journal's columns.

python -m tools.journal_reference
"""

from pathlib import Path
from typing import Final

from mockbroker.journal.entry import COLUMNS, KINDS, SCHEMA_VERSION
from mockbroker.journal.files.parquet import PART_S, ROWS_A_PART

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "journal.md"

_HEAD: Final = f"""# The journal's schema

Version {SCHEMA_VERSION}. This page is made by `make docs` from `mockbroker/journal/entry.py`.
[How to read the journal](../how-to/read-the-journal.md) says how one is kept.

An entry is one thing that happened, and has a row for each item that it is about: a Produce to
three partitions is one entry of three rows, which share a `seq`. A row is flat, the same columns
whatever it is about, and those that say nothing are empty: in JSON they are left out. `call` joins
what belongs together: a request, what it appended, what struck it, and its answer. Of Fetch
requests only the partitions that they name are listed, and not those of their session; of Metadata
the topics.

## Files

A journal on disk is a folder. `journal.json` says `schema_version`, `format`, `cluster_id`, the
release (`kafka`), `seed`, the version of `mockbroker`, and `is_closed`: whether all of it was
written, in `part_count` parts. The rows are in parts, in order:

- `part-00001.jsonl`, …: an object a line. A process that was killed may have cut off the last
  line; what comes before it counts.
- `part-00001.parquet`, … (extra `spark`): a part is there when it is finished, after
  {ROWS_A_PART:,} rows or {PART_S:.0f} seconds. Within a part the rows are in no order: sort by
  `seq`.
"""


def page() -> str:
    """Write the page."""
    lines = [_HEAD, "## Kinds\n", "| kind | what it is about |"]
    lines += ["| --- | --- |"]
    lines += [f"| `{kind}` | {about} |" for kind, about in KINDS.items()]
    lines += ["\n## Columns\n", "| column | type | what it says |", "| --- | --- | --- |"]
    lines += [f"| `{column.name}` | {column.kind} | {column.about} |" for column in COLUMNS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")

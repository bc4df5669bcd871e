"""Write docs/reference/findings.md from the declarations of what an audit writes.

python -m tools.findings_reference
"""

from pathlib import Path
from typing import Final

from mockbroker.spark.report import findings_table, verdict_document

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "findings.md"

_HEAD: Final = f"""# The results of an audit

**You want it when** a program reads what an audit has found.
[How to audit a journal](../how-to/audit-a-journal.md) shows how to run one.
**It needs** a reader of Parquet, as the extra `spark` has, or of JSON.

This page is made by `make docs` from `mockbroker/spark/report/findings_table.py` and
`mockbroker/spark/report/verdict_document.py`.
An audit also writes `report.html`, for people.

## `{findings_table.NAME}`

A row for each finding, in the order of the report: by source, the most severe first. Without
findings it has the same columns and no rows. Fields that do not apply are null.

| column | type | meaning |
| --- | --- | --- |
"""

_VERDICT: Final = f"""
## `{verdict_document.NAME}`

Schema {verdict_document.SCHEMA_VERSION}. `--json` prints the same document.

| member | meaning |
| --- | --- |
"""


def page() -> str:
    """Write the page."""
    columns = [
        f"| `{column.name}` | {'list of int64' if column.kind == 'list' else column.kind}"
        f" | {column.about} |"
        for column in findings_table.COLUMNS
    ]
    members = [f"| `{name}` | {about} |" for name, about in verdict_document.MEMBERS.items()]
    return _HEAD + "\n".join(columns) + "\n" + _VERDICT + "\n".join(members) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

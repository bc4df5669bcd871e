"""Results of an audit in a folder: `findings.parquet`, `verdict.json` and `report.html`."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from mockbroker.journal.entry import Entry
from mockbroker.report.audited import Audited
from mockbroker.report.report_page import write_report
from mockbroker.spark.report.findings_table import write_findings
from mockbroker.spark.report.verdict_document import verdict_document, write_verdict


def write_results(
    folder: Path, audited: Audited, rows: Mapping[int, Sequence[Entry]]
) -> Sequence[Path]:
    """Write the files, and return them; without pyarrow, there is no table of findings.

    Raises:
        OSError: a file cannot be written.

    """
    written = [
        write_report(folder, audited, rows),
        write_verdict(folder, verdict_document(audited)),
    ]
    if find_spec("pyarrow") is not None:
        written.append(write_findings(folder, audited.findings()))
    return written

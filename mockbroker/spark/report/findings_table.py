"""Findings as a table, and as the file `findings.parquet`, with the columns declared here."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from mockbroker.report.audited import Placed
from mockbroker.report.report_page import FINDINGS_NAME

NAME: Final = FINDINGS_NAME


class FindingColumn(NamedTuple):
    """A column, with the value of the finding's or the placed finding's field of that name."""

    name: str
    kind: str
    """Arrow's name of the type; `list` is a list of int64, and `texts` one of string."""
    about: str


COLUMNS: Final = (
    FindingColumn("number", "int64", "Number of the finding, from 1, as in the report."),
    FindingColumn("source", "string", "The journal or the topics, as named on the command line."),
    FindingColumn("rule", "string", "Name of the rule."),
    FindingColumn("severity", "string", "`ERROR`, `WARNING` or `INFO`."),
    FindingColumn("topic", "string", "The topic, if the finding has one."),
    FindingColumn("partition", "int32", "The partition."),
    FindingColumn("producer_id", "int64", "The producer."),
    FindingColumn("producer_epoch", "int16", "Its epoch."),
    FindingColumn("transactional_id", "string", "The transactional id, where it is known."),
    FindingColumn("first_offset", "int64", "First offset of the finding."),
    FindingColumn("last_offset", "int64", "Last offset of the finding."),
    FindingColumn("copied_offset", "int64", "Of a duplicate: the offset of the first copy."),
    FindingColumn("copied_topic", "string", "… and its topic, if it is in another partition."),
    FindingColumn("copied_partition", "int32", "… and its partition then."),
    FindingColumn(
        "virtual_time_ms", "int64",
        "The cluster's time of the problem, in milliseconds since 1970.",
    ),
    FindingColumn(
        "evidence", "list",
        "The `seq` of the journal's rows that prove it; for topics, first offset of the batch + 1.",
    ),
    FindingColumn("text", "string", "The problem, as a sentence."),
    FindingColumn("consequences", "texts", "What follows from it: rules with their sentences."),
    FindingColumn("advice", "string", "What to do."),
)  # fmt: skip
"""All columns, in order."""


def findings_table(findings: Sequence[Placed]) -> Any:
    """Return all findings, possibly none, as an Arrow table."""
    pa: Any = import_module("pyarrow")

    fields = [pa.field(column.name, _arrow(column.kind)) for column in COLUMNS]
    arrays = [
        pa.array([_value(each, column.name) for each in findings], field.type)
        for column, field in zip(COLUMNS, fields, strict=True)
    ]
    return pa.table(arrays, schema=pa.schema(fields))


def write_findings(folder: Path, findings: Sequence[Placed]) -> Path:
    """Write all findings, and return the file.

    Raises:
        OSError: the file cannot be written.

    """
    pq: Any = import_module("pyarrow.parquet")

    path = folder / NAME
    pq.write_table(findings_table(findings), path, compression="zstd")
    return path


def _value(placed: Placed, name: str) -> object:
    value: object = getattr(placed if name in {"number", "source"} else placed.finding, name)
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value


def _arrow(kind: str) -> Any:
    pa: Any = import_module("pyarrow")

    if kind == "texts":
        return pa.list_(pa.string())
    return pa.list_(pa.int64()) if kind == "list" else getattr(pa, kind)()

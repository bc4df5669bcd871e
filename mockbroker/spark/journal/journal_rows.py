"""A journal's rows as a DataFrame, and detection of unreadable parts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions

from mockbroker.journal.entry import COLUMNS
from mockbroker.journal.files.manifest import UNKNOWN_SPAN, PartSpan
from mockbroker.spark.journal.journal_folder import JournalFolder, Part, name_of
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

UNREAD_IN: Final = "unread_in"
"""Column with the file name of an invalid row; empty for valid rows."""
UNREAD_TEXT: Final = "unread_text"
"""Column with the content of an invalid row, if it is text."""

_KINDS: Final = {
    "int64": "bigint",
    "int32": "int",
    "int16": "smallint",
    "bool": "boolean",
    "string": "string",
}
SPARK_TYPES: Final = {column.name: _KINDS[column.kind] for column in COLUMNS}
"""Spark type of each column."""
_CORRUPT: Final = "_corrupt_record"
SCHEMA: Final = ", ".join(f"`{name}` {kind}" for name, kind in SPARK_TYPES.items())
"""The journal's columns; columns missing in a file are null."""


def rows_of(
    spark: "SparkSession", folder: JournalFolder, parts: Sequence[Part], columns: Sequence[str]
) -> "DataFrame":
    """Read columns of parts, and `UNREAD_IN` and `UNREAD_TEXT`."""
    paths = [part.path for part in parts]
    text = functions.lit(None).cast("string")
    is_unread = functions.col("seq").isNull() | functions.col("kind").isNull()
    if folder.format == "jsonl":
        reader = spark.read.schema(f"{SCHEMA}, {_CORRUPT} string")
        frame = reader.option("columnNameOfCorruptRecord", _CORRUPT).json(paths)
        is_unread = is_unread | functions.col(_CORRUPT).isNotNull()
        text = functions.col(_CORRUPT)
    else:
        frame = spark.read.schema(SCHEMA).parquet(*paths)
    unread = functions.when(is_unread, functions.col("_metadata.file_path"))
    return frame.select(*columns, unread.alias(UNREAD_IN), text.alias(UNREAD_TEXT))


def spans_of(spark: "SparkSession", folder: JournalFolder) -> dict[str, PartSpan]:
    """Return the numbers of the first and the last entry of each part, by its path."""
    rows = rows_of(spark, folder, folder.parts, ["seq", "_metadata.file_path"])
    known = rows.where("seq IS NOT NULL").groupBy("file_path")
    ends = known.agg(functions.min("seq"), functions.max("seq"))
    spans = {name_of(path): PartSpan(*span) for path, *span in ends.collect()}
    return {part.path: spans.get(name_of(part.path), UNKNOWN_SPAN) for part in folder.parts}


def broken_parts(
    spark: "SparkSession",
    folder: JournalFolder,
    parts: Sequence[Part],
    report: Callable[[str], None],
) -> dict[str, str]:
    """Find the parts that Spark cannot read, with reasons, by repeated halving.

    It runs after reading all parts has failed, and costs several times as much.
    """
    report(f"looking for broken ones among {len(parts)} parts")
    reason = _reason(spark, folder, parts)
    if reason is None:
        return {}
    if len(parts) == 1:
        return {parts[0].path: reason}
    middle = len(parts) // 2
    return {
        **broken_parts(spark, folder, parts[:middle], report),
        **broken_parts(spark, folder, parts[middle:], report),
    }


def _reason(spark: "SparkSession", folder: JournalFolder, parts: Sequence[Part]) -> str | None:
    frame = rows_of(spark, folder, parts, [column.name for column in COLUMNS])
    try:
        frame.write.format("noop").mode("overwrite").save()
    except SPARK_ERRORS as refused:
        return reason_of(refused)
    return None

"""Order of a journal's files, from their rows and not from their names.

Ordered rows are folded where they are read. Renamed files are ordered first. If rows were
distributed to files without an order, Spark has to sort them.
"""

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pyspark.sql import functions

from mockbroker.audit.runs.journal_tables import Span, span_of_end
from mockbroker.spark.journal.journal_folder import Part, name_of
from mockbroker.spark.spark_errors import SPARK_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pa: Any = import_module("pyarrow")

_OVERLAPPING_SHARE: Final = 0.1
"""Share of overlapping files above which the rows count as unordered."""


class PartOrder(NamedTuple):
    """Files in order, if they have one."""

    parts: tuple[Part, ...]
    scattered_rows: int = 0
    """Number of rows if they are unordered, else 0."""


def part_order(spark: "SparkSession", parts: Sequence[Part]) -> PartOrder:
    """Find the order of Parquet files by their rows; broken files are reported elsewhere."""
    spans = spans_of_ends(parts)
    if spans is None:
        try:
            spans = spans_of_rows(spark, parts)
        except SPARK_ERRORS:
            return PartOrder(tuple(parts))
    ordered = sorted(
        parts, key=lambda part: spans[part.path].first_seq if part.path in spans else -1
    )
    known = sorted(spans.values())
    overlapping = sum(one.last_seq >= other.first_seq for one, other in pairwise(known))
    is_scattered = overlapping > _OVERLAPPING_SHARE * len(known)
    return PartOrder(tuple(ordered), sum(each.rows for each in known) if is_scattered else 0)


def spans_of_ends(parts: Sequence[Part]) -> "dict[str, Span] | None":
    """Read the footers of local files, which is fast; return None if that is not possible."""
    spans: dict[str, Span] = {}
    for part in parts:
        address = urlsplit(part.path)
        if address.scheme != "file":
            return None
        try:
            span = span_of_end(unquote(address.path))
        except (pa.ArrowException, OSError):
            return None
        if span is None:
            return None
        spans[part.path] = span
    return spans


def spans_of_rows(spark: "SparkSession", parts: Sequence[Part]) -> "dict[str, Span]":
    """Find the spans with Spark, from all rows.

    Raises:
        PySparkException, Py4JError: a file is broken, or not a Parquet file.

    """
    rows: Any = spark.read.schema("seq bigint").parquet(*(part.path for part in parts))
    path = functions.col("_metadata.file_path").alias("path")
    spans = rows.where("seq IS NOT NULL").select(path, "seq").groupBy("path")
    wanted = [functions.min("seq"), functions.max("seq"), functions.count("seq")]
    found = {name_of(row[0]): Span(*row[1:]) for row in spans.agg(*wanted).collect()}
    return {part.path: found[name_of(part.path)] for part in parts if name_of(part.path) in found}

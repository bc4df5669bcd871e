"""In which order the files of a journal follow one another: what their rows say, and no names.

Rows that come in order are folded where they are read. Files that somebody has named anew are put
in order first; where rows were dealt out to files without regard to order, Spark has to sort them.
"""

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from mockbroker.pipeline.journal_folder import Part
from mockbroker.pipeline.spark_errors import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OVERLAPPING_SHARE: Final = 0.1
"""More files than this that begin before others end: their rows are in no order."""


class Span(NamedTuple):
    """Which rows a file has."""

    first_seq: int
    last_seq: int
    rows: int


class PartOrder(NamedTuple):
    """Files in order, as far as they have one."""

    parts: tuple[Part, ...]
    scattered_rows: int = 0
    """How many rows there are, if they are in no order; 0 if they are."""


def part_order(spark: "SparkSession", parts: Sequence[Part]) -> PartOrder:
    """Look at which rows are in which file of Parquet; one that is broken is for others to tell."""
    spans = spans_of_ends(parts)
    if spans is None:
        try:
            spans = spans_of_rows(spark, parts)
        except spark_errors():
            return PartOrder(tuple(parts))
    ordered = sorted(
        parts, key=lambda part: spans[part.path].first_seq if part.path in spans else -1
    )
    known = sorted(spans.values())
    overlapping = sum(one.last_seq >= other.first_seq for one, other in pairwise(known))
    is_scattered = overlapping > _OVERLAPPING_SHARE * len(known)
    return PartOrder(tuple(ordered), sum(each.rows for each in known) if is_scattered else 0)


def spans_of_ends(parts: Sequence[Part]) -> dict[str, Span] | None:
    """Read the ends of files that are on this machine, which is quick; None where it cannot be."""
    pa: Any = import_module("pyarrow")
    spans: dict[str, Span] = {}
    for part in parts:
        address = urlsplit(part.path)
        if address.scheme != "file":
            return None
        try:
            span = _span_of_end(unquote(address.path))
        except (pa.ArrowException, OSError):
            return None
        if span is None:
            return None
        spans[part.path] = span
    return spans


def _span_of_end(path: str) -> Span | None:
    pq: Any = import_module("pyarrow.parquet")
    metadata = pq.read_metadata(path)
    place = metadata.schema.to_arrow_schema().get_field_index("seq")
    if place < 0 or not metadata.num_row_groups:
        return None
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    known = [group.column(place).statistics for group in groups]
    if any(each is None or not each.has_min_max for each in known):
        return None
    first, last = min(each.min for each in known), max(each.max for each in known)
    return Span(first, last, metadata.num_rows)


def spans_of_rows(spark: "SparkSession", parts: Sequence[Part]) -> dict[str, Span]:
    """Have Spark look through all rows.

    Raises:
        PySparkException, Py4JError: a file is broken, or none of Parquet.

    """
    from pyspark.sql import functions

    rows: Any = spark.read.schema("seq bigint").parquet(*(part.path for part in parts))
    path = functions.col("_metadata.file_path").alias("path")
    spans = rows.where("seq IS NOT NULL").select(path, "seq").groupBy("path")
    wanted = [functions.min("seq"), functions.max("seq"), functions.count("seq")]
    found = {_name(row[0]): Span(*row[1:]) for row in spans.agg(*wanted).collect()}
    return {part.path: found[_name(part.path)] for part in parts if _name(part.path) in found}


def _name(path: str) -> str:
    return unquote(path.rsplit("/", 1)[-1])

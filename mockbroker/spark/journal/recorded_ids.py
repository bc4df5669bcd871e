"""Ids of the records in a journal that are visible more than once, found by workers.

A worker has the rows of whole partitions in order, and no more of them in memory than the open
transactions; only ids that are repeated come to the driver.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Window, functions

from mockbroker.audit.identity.found_rows import HAS_NO_IDS, PLACE, text_of
from mockbroker.audit.identity.recorded_ids import (
    COLUMNS,
    CUTS,
    Cuts,
    RecordedId,
    stored_ids,
)
from mockbroker.audit.identity.visible_ids import VisibleId
from mockbroker.journal.files.parquet import entry_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA: Final = (
    "topic string, partition int, offset bigint, record_id string, seq bigint, leader_epoch int,"
    " life int"
)
_FOUND: Final = "topic string, partition int, offset bigint, record_id string"
_ROWS_A_BATCH: Final = 20_000


def repeated_ids(
    rows: "Callable[[Sequence[str]], DataFrame]", *, across_topics: bool
) -> tuple[list[RecordedId], bool]:
    """Return the visible records whose id is there again, in the same topic or in any.

    `rows` reads columns of a journal, or of a part of one. The second result tells whether any
    visible record has an id.

    Raises:
        PySparkException, Py4JError: Spark cannot read it.

    """
    frame: Any = rows(COLUMNS).select(*COLUMNS)
    removals = frame.where(frame["kind"].isin(sorted(CUTS))).toArrow().to_pylist()
    cuts = Cuts(map(entry_of, removals))
    has_ids = (frame["kind"] == "append") & frame["record_ids"].isNotNull()
    logs = frame.where(has_ids | (frame["kind"] == "marker")).drop("detail")
    divided = logs.repartition("topic", "partition")
    ordered = divided.sortWithinPartitions("topic", "partition", "seq")
    found = ordered.mapInArrow(partial(_found, cuts), _SCHEMA)
    alike = repeated_among(found, across_topics=across_topics)
    return [RecordedId(*row) for row in alike if row["record_id"] is not None], bool(alike)


def found_in_frame(frame: Any, column: str) -> Any:
    """Return a data frame of found records with their ids as text, without those that have none.

    Raises:
        ValueError: the column has no ids: texts of different lists may be the same.
        PySparkException, Py4JError: it lacks one of the columns.

    """
    quoted = f"`{column.replace('`', '``')}`"
    found = frame.selectExpr(
        *("CAST(topic AS string)", "CAST(partition AS int)", "CAST(offset AS bigint)"),
        f"{quoted} AS record_id",
    ).where("record_id IS NOT NULL")
    kind = dict(found.dtypes)["record_id"]
    if kind.startswith(("array<", "map<", "struct<")):
        raise ValueError(HAS_NO_IDS.format(column, kind))
    if kind == "binary":
        return found.mapInArrow(texts_of_bytes, _FOUND)
    if kind in {"float", "double"}:
        found = found.where("NOT isnan(record_id)")
    return found.withColumn("record_id", found["record_id"].cast("string"))


def texts_of_bytes(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield found records with ids as texts: Spark's cast makes different bytes alike."""
    pa: Any = import_module("pyarrow")
    for batch in batches:
        ids = pa.array(map(text_of, batch.column("record_id").to_pylist()), pa.string())
        place = [batch.column(name) for name in PLACE]
        yield pa.record_batch([*place, ids], names=[*PLACE, "record_id"])


def repeated_found(found: Any, *, across_topics: bool) -> list[VisibleId]:
    """Return the records of `found_in_frame` whose id is there again.

    Raises:
        PySparkException, Py4JError: Spark cannot read it, or it lacks one of the columns.

    """
    return [VisibleId(*row) for row in repeated_among(found, across_topics=across_topics)]


def repeated_among(found: Any, *, across_topics: bool) -> list[Any]:
    """Return the rows of a data frame whose id is there again, and those that have none.

    Those of different lives of a cluster are not alike.
    """
    keys = {"life", "topic", "record_id"} - ({"topic"} if across_topics else set())
    alike: Any = Window.partitionBy(*(name for name in found.columns if name in keys))
    count: Any = functions.count("*").over(alike)
    repeated = found.withColumn("count", count).where("count > 1 OR record_id IS NULL")
    rows: list[Any] = repeated.drop("count").collect()
    return rows


def _found(cuts: Cuts, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the visible records of partitions, in a worker.

    A row of nulls comes first, if there are any.
    """
    pa: Any = import_module("pyarrow")
    rows = (entry_of(row) for batch in batches for row in batch.to_pylist())
    found: Iterator[RecordedId] = filter(cuts.leave, stored_ids(rows, cuts))
    schema = pa.schema(
        [
            *(("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64())),
            *(("record_id", pa.string()), ("seq", pa.int64()), ("leader_epoch", pa.int32())),
            ("life", pa.int32()),
        ]
    )
    if (first := next(found, None)) is not None:
        yield pa.record_batch([[None]] * len(schema), schema=schema)
        found = chain([first], found)
    while chunk := list(islice(found, _ROWS_A_BATCH)):
        yield pa.record_batch([list(column) for column in zip(*chunk, strict=True)], schema=schema)

"""Evidence of an audit: rows with the journal's columns, and properties of their source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from mockbroker.spark.journal.journal_folder import Part
from mockbroker.spark.topics.history_order import HistoryOrder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of evidence that is judged independently."""

    rows: Callable[[Sequence[str]], "DataFrame"]
    """Function that reads the given journal columns, `UNREAD_IN` and `UNREAD_TEXT`."""
    source: Source
    parts: tuple[Part, ...] = ()
    """Parquet files that workers read directly, which is many times faster than rows."""
    runs: tuple[Run, ...] = ()
    """What is known beside the rows."""
    order: HistoryOrder | None = None
    """The order of the rows of topics and of what is beside them, if it is known."""
    topic: str | None = None
    """The topic, if the evidence is of one topic; then `seq` counts within a partition."""

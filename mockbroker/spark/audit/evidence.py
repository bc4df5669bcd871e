"""Evidence as the pipeline hands it on: rows with the journal's columns, and what they can tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockbroker.audit.source import Source
from mockbroker.spark.journal.journal_folder import Part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One body of evidence that is judged for itself."""

    rows: Callable[[Sequence[str]], "DataFrame"]
    """Reads these columns of the journal's, and `UNREAD_IN` and `UNREAD_TEXT`."""
    source: Source
    parts: tuple[Part, ...] = ()
    """Files of Parquet that workers read as they are, which is many times faster than rows."""
    scattered_rows: int = 0
    """How many rows there are, where their files have them in no order: then they are sorted."""
    topic: str | None = None
    """The topic that it is about, where it is about one: its `seq` count within a partition."""

"""Records that readers found, as rows of a table with the ids in one of its columns.

A table, a data frame or a list of mappings has `topic`, `partition`, `offset`, and the column that
`column:NAME` names.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from mockbroker.audit.identity.visible_ids import VisibleId
from mockbroker.errors import install_hint

PLACE: Final = ("topic", "partition", "offset")
"""The columns that say where a record is."""
_COLUMN: Final = "column:"
NEEDS_FOUND: Final = "{} is a column of the records that readers found: name their table, too"


def column_of(identity: str | None) -> str | None:
    """Return the column of an identity; None for one that is no column."""
    if identity is None or not identity.startswith(_COLUMN):
        return None
    return identity.removeprefix(_COLUMN) or None


def found_in(rows: Iterable[Any], column: str) -> Iterator[VisibleId]:
    """Yield the records of rows that have members by name; those without an id are left out.

    Raises:
        ValueError: a row lacks one of the columns, or has no position.

    """
    for number, row in enumerate(rows):
        try:
            topic, partition, offset, record_id = (row[name] for name in (*PLACE, column))
            found = VisibleId(text_of(topic), int(partition), int(offset), "")
        except (LookupError, TypeError, ValueError):
            names = ", ".join((*PLACE, column))
            raise ValueError(f"row {number} of the found records needs {names}: {row!r}") from None
        if record_id is not None:
            yield found._replace(record_id=text_of(record_id))


def text_of(record_id: object) -> str:
    """Return an id as text; bytes that are no UTF-8 are written with escapes: they differ still."""
    if isinstance(record_id, bytes):
        return record_id.decode(errors="backslashreplace")
    return str(record_id)


def found_in_parquet(path: str, column: str) -> list[VisibleId]:
    """Return the records in a file or a folder of Parquet; those without an id are left out.

    Raises:
        ImportError: pyarrow is not installed.
        OSError, ValueError: there is no such table, or it lacks one of the columns.

    """
    try:
        pa: Any = import_module("pyarrow")
        pq: Any = import_module("pyarrow.parquet")
    except ImportError as missing:
        raise ImportError(f"--found needs pyarrow: {install_hint('spark')}") from missing
    named = list(dict.fromkeys((*PLACE, column)))
    table = pq.read_table(path, columns=named)
    lacking = [name for name in named if name not in table.column_names]
    if lacking:
        raise ValueError(f"it has no column {', '.join(lacking)}")
    return list(found_in(_with_texts(pa, table, column).to_pylist(), column))


def _with_texts(pa: Any, table: Any, column: str) -> Any:
    """Return a table with the ids as texts, as Spark writes them; bytes are left as they are."""
    ids = table[column]
    if any(of(ids.type) for of in (pa.types.is_binary, pa.types.is_large_binary)):
        return table
    try:
        texts = ids.cast(pa.string())
    except pa.ArrowNotImplementedError:
        raise ValueError(f"its column {column} has {ids.type}, and no ids") from None
    return table.set_column(table.column_names.index(column), column, texts)

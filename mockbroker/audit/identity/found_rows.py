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
_OF_BYTES: Final = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
HAS_NO_IDS: Final = "its column {} has {}, and no ids"
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
        if _is_id(record_id):
            yield found._replace(record_id=text_of(record_id))


def _is_id(record_id: Any) -> bool:
    """Return False for None, and for what pandas has instead: it is not equal to itself."""
    try:
        return record_id is not None and bool(record_id == record_id)  # noqa: PLR0124
    except TypeError:  # of `pandas.NA`
        return False


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
    if isinstance(ids.type, pa.BaseExtensionType):
        ids = pa.chunked_array([each.storage for each in ids.chunks], ids.type.storage_type)
    if pa.types.is_dictionary(ids.type):
        ids = ids.cast(ids.type.value_type)
    if pa.types.is_floating(ids.type):
        pc: Any = import_module("pyarrow.compute")
        ids = pc.if_else(pc.is_nan(ids), None, ids)
    if not any(getattr(pa.types, name)(ids.type) for name in _OF_BYTES):
        try:
            ids = ids.cast(pa.string())
        except pa.ArrowNotImplementedError:
            raise ValueError(HAS_NO_IDS.format(column, ids.type)) from None
    return table.set_column(table.column_names.index(column), column, ids)

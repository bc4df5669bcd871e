"""By what a test tells records apart."""

from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

from mockbroker.broker.stored_records import StoredRecord

RecordKey: TypeAlias = str | Callable[[StoredRecord], Hashable]
"""`value`, `key`, `header:NAME`, or a function."""

_HEADER: Final = "header:"


def key_function(key: RecordKey) -> Callable[[StoredRecord], Hashable]:
    """Return the function that a key stands for.

    Raises:
        ValueError: it stands for none.

    """
    if not isinstance(key, str):
        return key
    if key == "value":
        return lambda record: record.value
    if key == "key":
        return lambda record: record.key
    if key.startswith(_HEADER) and len(key) > len(_HEADER):
        name = key.removeprefix(_HEADER)
        return lambda record: next((value for each, value in record.headers if each == name), None)
    raise ValueError(f"key={key!r}: allowed are value, key, header:NAME, and functions")

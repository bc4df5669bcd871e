"""Entries of the journal as they are shown, and how they are asked for."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from mockbroker.faults.documents.api_names import api_of
from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.selectors import Numbers, Texts
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

T = TypeVar("T")

_TYPES: Final[dict[str, Any]] = {
    "int64": int,
    "int32": int,
    "int16": int,
    "bool": bool,
    "string": str,
}
_ALWAYS: Final = ("seq", "kind", "wall_time_us", "virtual_time_ms")

EntryView: Final = msgspec.defstruct(
    "EntryView",
    [
        (column.name, _TYPES[column.kind])
        if column.name in _ALWAYS
        else (column.name, _TYPES[column.kind] | UnsetType, UNSET)
        for column in COLUMNS
    ],
    namespace={"__doc__": "One row of the journal; columns that say nothing are left out."},
    module=__name__,
)
"""A row as JSON: its columns are those of `mockbroker.journal.entry`."""


class JournalView(View):
    """Some entries, in order."""

    is_on: bool
    """Whether anything is written down now."""
    dropped: int
    """How many entries memory had no room for."""
    entries: list[EntryView]  # type: ignore[valid-type]  # made of the table of columns


class CountView(View):
    """How many there are."""

    count: int


class JournalSelection(Document):
    """Which entries are asked for: all that is named has to fit, what is not named fits any."""

    kind: Texts = None
    api: Texts = None
    version: Numbers = None
    broker: Numbers = None
    connection: Numbers = None
    client_id: Texts = None
    group: Texts = None
    transactional_id: Texts = None
    topic: Texts = None
    partition: Numbers = None
    producer_id: Numbers = None
    producer_epoch: Numbers = None
    base_sequence: Numbers = None
    error: Texts = None
    rule: Texts = None
    call: Numbers = None

    def wanted(self) -> dict[str, Any]:
        """Return what is asked for, as `Journal.find` takes it.

        Raises:
            ValueError: there is no such API or error.

        """
        said = {name: getattr(self, name) for name in JournalSelection.__struct_fields__}
        said = {name: value for name, value in said.items() if value is not None}
        if "api" in said:
            said["api"] = _each(said["api"], api_of)
        if "error" in said:
            said["error"] = _each(said["error"], _error_of)
        return said


def entry_view(entry: Entry) -> msgspec.Struct:
    """Show a row."""
    said = {name: value for name, value in entry._asdict().items() if value is not None}
    if isinstance(entry.api, ApiKey):
        said["api"] = entry.api.title
    if isinstance(entry.error, ErrorCode):
        said["error"] = entry.error.name
    return EntryView(**said)


def _each(said: str | list[str], read: Callable[[str], T]) -> T | list[T]:
    return read(said) if isinstance(said, str) else [read(each) for each in said]


def _error_of(name: str) -> ErrorCode:
    found = ErrorCode.__members__.get(name)
    if found is None:
        raise ValueError(f"{name!r} is no error code of Kafka's")
    return found

"""Documents of journal entries, and queries for them."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.selectors import Numbers, Texts
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.settings.api_names import api_of
from mockbroker.settings.error_names import error_of

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
    namespace={"__doc__": "One row of the journal, without its empty columns."},
    module=__name__,
)
"""A row as JSON: its columns are those of `mockbroker.journal.entry`."""


class JournalView(View):
    """Entries of the journal, in order."""

    is_on: bool
    """True while the journal records events."""
    dropped: int
    """Number of entries dropped because memory was full."""
    entries: list[EntryView]  # type: ignore[valid-type]  # made of the table of columns


class CountView(View):
    """Number of matches."""

    count: int


class JournalSelection(Document):
    """Filter for entries: an entry must match all fields that are set."""

    kind: Texts = None
    api: Texts = None
    version: Numbers = None
    broker: Numbers = None
    connection: Numbers = None
    client_id: Texts = None
    principal: Texts = None
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
        """Return the filter in the form that `Journal.find` takes.

        Raises:
            ValueError: the API or the error is unknown.

        """
        given = {name: getattr(self, name) for name in JournalSelection.__struct_fields__}
        given = {name: value for name, value in given.items() if value is not None}
        if "api" in given:
            given["api"] = _each(given["api"], api_of)
        if "error" in given:
            given["error"] = _each(given["error"], error_of)
        return given


def entry_view(entry: Entry) -> msgspec.Struct:
    """Show a row."""
    given = {name: value for name, value in entry._asdict().items() if value is not None}
    if isinstance(entry.api, ApiKey):
        given["api"] = entry.api.title
    if isinstance(entry.error, ErrorCode):
        given["error"] = entry.error.name
    return EntryView(**given)


def _each(given: str | list[str], read: Callable[[str], T]) -> T | list[T]:
    return read(given) if isinstance(given, str) else [read(each) for each in given]

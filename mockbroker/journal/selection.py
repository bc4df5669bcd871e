"""Selection of entries by the values of their columns, as faults select calls."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, TypeAlias, cast

from mockbroker.broker.value_matching import fits
from mockbroker.journal.entry import KINDS, Entry
from mockbroker.protocol.errors import ErrorCode
from mockbroker.settings.api_names import GivenApis, apis_of
from mockbroker.settings.error_names import error_of

When: TypeAlias = Callable[[Entry], bool]

_INDEXES: Final[Mapping[str, int]] = {name: index for index, name in enumerate(Entry._fields)}


class Selection:
    """Filter for entries: all given columns have to match."""

    def __init__(
        self,
        api: GivenApis | None,
        when: When | None,
        wanted: Mapping[str, object],
    ) -> None:
        """Take values by columns; None is not given, a collection means any of its values.

        Texts may hold the wildcards `*` and `?`. APIs and errors may be given by
        their names.

        Raises:
            ValueError: there is no such column, kind, API or error.

        """
        unknown = sorted(set(wanted) - set(_INDEXES))
        if unknown:
            columns = ", ".join(_INDEXES)
            raise ValueError(f"unknown column {', '.join(unknown)}; the columns are {columns}")
        kind = wanted.get("kind")
        if isinstance(kind, str) and kind not in KINDS:
            raise ValueError(f"kind={kind!r}: unknown; the kinds are {', '.join(KINDS)}")
        given = {"api": None if api is None else apis_of(api), **wanted}
        error = given.get("error")
        if isinstance(error, str | int):
            given["error"] = error_of(error)
        elif isinstance(error, Collection):
            given["error"] = [error_of(each) for each in cast("Collection[str | int]", error)]
        self._wanted: Final = [
            (_INDEXES[name], value) for name, value in given.items() if value is not None
        ]
        self._when: Final = when

    def fits(self, entry: Entry) -> bool:
        """Return whether an entry matches."""
        for index, wanted in self._wanted:
            if not fits(wanted, entry[index]):
                return False
        return self._when is None or self._when(entry)

    def of(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        """Return the matching entries."""
        return filter(self.fits, entries)


def errors_of(entries: Iterable[Entry]) -> set[ErrorCode]:
    """Return the errors in entries, except NONE."""
    return {entry.error for entry in entries if entry.error}

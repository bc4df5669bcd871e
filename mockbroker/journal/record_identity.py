"""Identity of a record: the part of it that an application stores only once.

Only an application knows what identifies its records, so an audit asks for it: `key`, `value`,
`header:NAME`, or `json:PATH` for a field of a value in JSON. `off` says that records have none.
"""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, Protocol, cast

OFF: Final = "off"
"""The choice of a user whose records have no identity: duplicates by it are not judged."""
FORMS: Final = "key, value, header:NAME, json:PATH (a field of the value)"
"""The forms of an identity."""


class Identified(Protocol):
    """A record, as far as its identity is concerned."""

    @property
    def key(self) -> bytes | None:
        """The key."""
        ...

    @property
    def value(self) -> bytes | None:
        """The value."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, bytes | None]]:
        """Names and values of the headers."""
        ...


class RecordIdentity(NamedTuple):
    """Location of the id in a record."""

    kind: Literal["key", "value", "header", "json"]
    name: str = ""
    """Name of the header, or path in the value: `$.order.id`, `items.0.id`."""

    def __str__(self) -> str:
        """Write it as users do."""
        return f"{self.kind}:{self.name}" if self.name else self.kind

    def of(self, record: Identified) -> str | None:
        """Return the id of a record; None for a record without one."""
        if self.kind == "json":
            return _field(record.value, self.name)
        if self.kind == "header":
            data = dict(record.headers).get(self.name)
        else:
            data = record.key if self.kind == "key" else record.value
        return None if data is None else data.decode(errors="backslashreplace")


def identity_of(text: str) -> RecordIdentity | None:
    """Parse an identity; None for `off`.

    Raises:
        ValueError: the text is no identity.

    """
    kind, _, name = text.partition(":")
    if text == OFF:
        return None
    if text in {"key", "value"}:
        return RecordIdentity("key" if text == "key" else "value")
    if kind == "header" and name:
        return RecordIdentity("header", name)
    if kind == "json" and name.removeprefix("$").strip("."):
        return RecordIdentity("json", name)
    raise ValueError(f"{text!r} is no identity of records: write {FORMS}, or off")


def _field(value: bytes | None, path: str) -> str | None:
    """Return a field of a value in JSON as text; None if the value has no such field."""
    try:
        found: Any = json.loads(value or b"", parse_float=_number)
    except (ValueError, ArithmeticError, RecursionError):  # deeper, or with a larger exponent
        return None
    for step in filter(None, path.removeprefix("$").split(".")):
        found = _step(found, step)
    if found is None:
        return None
    text = (
        str(found)
        if isinstance(found, str | Decimal)
        else json.dumps(found, sort_keys=True, ensure_ascii=False, default=str)
    )
    # A text of JSON may hold half of a surrogate pair, which no file of a journal can.
    return text.encode(errors="backslashreplace").decode()


def _number(text: str) -> float | Decimal:
    """Return a number; a Decimal if no float is equal to it: floats of two ids may be the same."""
    number, exact = float(text), Decimal(text)
    return number if Decimal(repr(number)) == exact else exact


def _step(value: Any, name: str) -> Any:
    """Return a member of an object, or an element of a list; None if there is none."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).get(name)
    if isinstance(value, list):
        elements = cast("Sequence[Any]", value)
        # Python converts no text of thousands of digits to a number.
        is_index = name.isdecimal() and len(name.lstrip("0")) <= len(str(len(elements)))
        index = int(name.lstrip("0") or "0") if is_index else len(elements)
        return elements[index] if index < len(elements) else None
    return None

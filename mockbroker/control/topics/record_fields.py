"""Fields of a record as people write them: text or bytes, headers as a mapping or as pairs."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias, cast

from mockbroker.protocol.records.record import Header, Record

Field: TypeAlias = str | bytes | bytearray | memoryview | None
"""Text, which is encoded as UTF-8, or bytes; None for null."""
Headers: TypeAlias = Mapping[str, Field] | Iterable[tuple[str, Field]]
"""Names and values of headers; pairs may have a name twice."""
Timestamp: TypeAlias = datetime | int
"""A moment, or milliseconds since 1970."""

_SECOND_MS: Final = 1000


class AppendedRecord(NamedTuple):
    """Where a record was appended."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    """The record's, or the broker's time if the topic has `LogAppendTime`."""


class RecordFields(NamedTuple):
    """Fields of a record, in the form that it is stored in."""

    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]
    timestamp_ms: int | None
    """None for the time of the append."""

    def record(self, now_ms: int) -> Record:
        """Return the record; `now_ms` is the time on the clients' clock."""
        return Record(
            offset=0,
            timestamp=now_ms if self.timestamp_ms is None else self.timestamp_ms,
            key=self.key,
            value=self.value,
            headers=self.headers,
        )


def record_fields(
    value: Field, key: Field, headers: Headers, timestamp: Timestamp | None
) -> RecordFields:
    """Return the fields of a record.

    Raises:
        TypeError: one of them is neither text nor bytes, or the timestamp is no moment.

    """
    return RecordFields(
        _bytes("key", key),
        _bytes("value", value),
        tuple((name, _bytes(f"header {name}", each)) for name, each in _pairs(headers)),
        _milliseconds(timestamp),
    )


def _pairs(headers: Headers) -> Iterable[tuple[str, Field]]:
    given = (
        cast("Mapping[str, Field]", headers).items() if isinstance(headers, Mapping) else headers
    )
    for pair in cast("Iterable[object]", given):
        match pair:
            case (str(), object()):
                yield cast("tuple[str, Field]", pair)
            case _:
                raise TypeError(
                    f"headers={headers!r}: give a mapping of names to values, or pairs of both"
                )


def _bytes(name: str, given: object) -> bytes | None:
    if given is None or isinstance(given, bytes):
        return given
    if isinstance(given, str):
        return given.encode()
    if isinstance(given, bytearray | memoryview):
        return bytes(cast("memoryview", given))
    raise TypeError(
        f"{name}={given!r}: a record holds str, bytes or None, so encode it first, as with json"
    )


def _milliseconds(timestamp: object) -> int | None:
    if timestamp is None or (isinstance(timestamp, int) and not isinstance(timestamp, bool)):
        return timestamp
    if isinstance(timestamp, datetime):
        return round(timestamp.timestamp() * _SECOND_MS)
    raise TypeError(f"timestamp={timestamp!r}: give a datetime, or milliseconds since 1970")

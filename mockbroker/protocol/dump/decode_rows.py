"""Rows of a decoded frame, and the formatting of their bytes and values."""

from dataclasses import dataclass
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.frame_stream import FieldSpan

BYTES_SHOWN: Final = 12
"""Number of bytes shown in a field's row."""

_TEXT_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class DumpRow:
    """A field with the bytes `[start:end]` of the input; without bytes if they were compressed."""

    start: int | None
    end: int | None
    path: str
    kind: str
    value: object


def shifted(span: FieldSpan, by: int) -> DumpRow:
    """Build the row of a frame's field; the frame begins at an offset of the input."""
    return DumpRow(span.start + by, span.end + by, span.path, span.kind, span.value)


def shown_bytes(data: bytes) -> str:
    """Format bytes as hex; only the first ones if there are many."""
    shown = data[:BYTES_SHOWN].hex(" ")
    return f"{shown} …" if len(data) > BYTES_SHOWN else shown


def shown_value(row: DumpRow) -> str:
    """Format a row's value for people; codes and keys have their names."""
    match row.value:
        case None:
            return "null"
        case bool(flag):
            return str(flag).lower()
        case bytes(data):
            return shown_text_or_bytes(data)
        case str(text) if row.kind in ("string", "text"):
            return repr(text)
        case int(number) if name := name_of(row.path, number):
            return f"{number} {name}"
        case value:
            return str(value)


def name_of(path: str, number: int) -> str | None:
    """Return the name of an error code or an API key."""
    field = path.rpartition(".")[2]
    try:
        if field.endswith("error_code"):
            return ErrorCode(number).name
        if field in ("request_api_key", "api_key"):
            return ApiKey(number).title
    except ValueError:
        return None
    return None


def shown_text_or_bytes(data: bytes | None) -> str:
    """Format bytes as text if they are printable, or else as hex with their count."""
    if data is None:
        return "null"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if text.isprintable() and (text or not data):
        return repr(text if len(text) <= _TEXT_SHOWN else text[:_TEXT_SHOWN] + "…")
    return f"{len(data)} bytes {shown_bytes(data)}"

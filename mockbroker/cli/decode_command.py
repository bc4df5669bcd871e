"""Command `mockbroker decode`: fields of frames of Kafka's protocol."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from mockbroker.cli.text_table import write_line
from mockbroker.events.progress_bar import progress_bar
from mockbroker.protocol.dump.decode import (
    REQUEST,
    DecodedFrame,
    Direction,
    decode_frames,
    find_api,
)
from mockbroker.protocol.dump.decode_rows import DumpRow, shown_bytes, shown_value
from mockbroker.protocol.messages import request_type

JSON_VERSION: Final = 1
"""Version of the form of a line of JSON."""
_LONG_BYTES: Final = 64 << 10
"""From here on, decoding takes a second or more."""
_HEX: Final = re.compile(rb"[0-9a-fA-F\s:]+")
_NOT_HEX: Final = re.compile(r"[\s:]|\b0x")


@click.command(short_help="Show the fields of frames.")
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), required=False
)
@click.option("--hex", "hex_text", metavar="TEXT", help="Read this text instead of FILE.")
@click.option("--request/--response", "is_request", default=True, help="Kind of frame (request).")
@click.option("--api", metavar="NAME", help="API of a response, by its name or its key.")
@click.option("--api-version", type=int, metavar="N", help="Version of a response.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one line of JSON for each frame (`_v` is 1).",
)
def decode(
    file: str | None,
    hex_text: str | None,
    *,
    is_request: bool,
    api: str | None,
    api_version: int | None,
    as_json: bool,
) -> None:
    """Show the fields of frames of Kafka's protocol.

    FILE has one frame, with or without the four bytes of its size, or several frames with sizes;
    as bytes or as hex text. Without FILE the frame is read from standard input. A request names
    its API; a response does not, and needs --api and --api-version.

    The exit code is 2 if something is not readable. The readable part is shown in any case.
    """
    direction = _direction(is_request=is_request, api=api, version=api_version)
    if hex_text is not None and file is not None:
        raise click.UsageError("give either --hex or FILE")
    data = _from_hex(hex_text) if hex_text is not None else _read(file or "-")
    if not data:
        raise click.UsageError("there are no bytes to decode")
    frames = list(_decoded(data, direction, has_bar=not as_json))
    for i, frame in enumerate(frames):
        lines = [json.dumps(_as_json(i, frame, data))] if as_json else _as_text(i, frame, data)
        for line in lines:
            write_line(line)
    sys.exit(2 if any(frame.error for frame in frames) else 0)


def _decoded(data: bytes, direction: Direction, *, has_bar: bool) -> Iterator[DecodedFrame]:
    is_long = has_bar and len(data) >= _LONG_BYTES
    with progress_bar("decoding", len(data), "B", is_wanted=is_long) as advance:
        for frame in decode_frames(data, direction):
            advance(frame.end - frame.start)
            yield frame


def _direction(*, is_request: bool, api: str | None, version: int | None) -> Direction:
    if is_request:
        if api is not None or version is not None:
            message = "a request names its API and version itself: use these with --response"
            raise click.BadParameter(message, param_hint="'--api' / '--api-version'")
        return REQUEST
    if api is None or version is None:
        raise click.UsageError("a response does not name its API: give --api and --api-version")
    api_key = find_api(api)
    if api_key is None:
        raise click.BadParameter(f"there is no API {api!r}", param_hint="'--api'")
    declared = request_type(api_key).VERSIONS
    if version not in declared:
        message = f"{api_key.title} has the versions {declared}, not {version}"
        raise click.BadParameter(message, param_hint="'--api-version'")
    return Direction(api_key, version)


def _read(file: str) -> bytes:
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    return _from_hex(data.decode()) if data.strip() and _HEX.fullmatch(data) else data


def _from_hex(text: str) -> bytes:
    digits = _NOT_HEX.sub("", text)
    try:
        return bytes.fromhex(digits)
    except ValueError:
        bad = next((digit for digit in digits if digit not in "0123456789abcdefABCDEF"), None)
        why = f"{len(digits)} digits are no whole bytes" if bad is None else f"{bad!r} is no digit"
        raise click.UsageError(f"the text is not hex: {why}") from None


def _as_text(index: int, frame: DecodedFrame, data: bytes) -> Iterator[str]:
    """Format a frame as a table: offset, bytes, field, type and value."""
    if index:
        yield ""
    yield f"{frame.title}: bytes {frame.start} to {frame.end}"
    cells = [_cells(row, data) for row in frame.rows]
    widths = [max((len(cell[i]) for cell in cells), default=0) for i in range(4)]
    for cell in cells:
        padded = (text.ljust(width) for text, width in zip(cell, widths, strict=False))
        yield "  ".join((*padded, cell[-1])).rstrip()
    if frame.error is not None:
        yield f"unreadable at {frame.unread_from}: {frame.error}"
        if rest := data[frame.unread_from : frame.end]:
            yield f"{len(rest)} bytes are left: {rest.hex(' ')}"


def _cells(row: DumpRow, data: bytes) -> tuple[str, str, str, str, str]:
    start = "" if row.start is None else f"{row.start:06d}"
    return start, shown_bytes(_bytes_of(row, data)), row.path, row.kind, shown_value(row)


def _bytes_of(row: DumpRow, data: bytes) -> bytes:
    return b"" if row.start is None or row.end is None else data[row.start : row.end]


def _as_json(index: int, frame: DecodedFrame, data: bytes) -> dict[str, Any]:
    error = frame.error
    return {
        "_v": JSON_VERSION,
        "frame": index,
        "title": frame.title,
        "start": frame.start,
        "end": frame.end,
        "fields": [
            {
                "start": row.start,
                "end": row.end,
                "bytes": _bytes_of(row, data).hex(),
                "path": row.path,
                "kind": row.kind,
                "value": _json_value(row.value),
            }
            for row in frame.rows
        ],
        "error": None
        if error is None
        else {"at": frame.unread_from, "path": error.path, "why": error.why},
        "unread": data[frame.unread_from : frame.end].hex() if error else "",
    }


def _json_value(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)

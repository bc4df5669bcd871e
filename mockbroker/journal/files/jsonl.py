"""Journal as lines of JSON: an object per row, without null columns."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from mockbroker.events.progress_bar import Advance, ignore_advance
from mockbroker.journal.entry import Entry, stored_value
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.manifest import UNKNOWN_SPAN, Manifest, PartSpan, part_path, parts_of
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SUFFIX: Final = "jsonl"
PART_BYTES: Final = 256 * 1024 * 1024
_WORDS: Final = ("true", "false", "null", "-")
"""What a line may end within, beside texts and numbers."""
_HEAD_BYTES: Final = 1_000
_BLOCK_BYTES: Final = 1 << 16
_SEQ: Final = re.compile(rb'\s*\{\s*"seq"\s*:\s*(\d+)')
_APIS: Final[Mapping[str, ApiKey]] = {api.title: api for api in ApiKey}


def line_of(entry: Entry) -> bytes:
    """Format an entry."""
    document = {
        name: stored_value(value)
        for name, value in zip(Entry._fields, entry, strict=True)
        if value is not None
    }
    return msgspec.json.encode(document) + b"\n"


def entry_of(line: str | bytes) -> Entry:
    """Parse an entry; columns of later versions are ignored."""
    document: dict[str, Any] = json.loads(line)
    if "api" in document:
        document["api"] = _APIS[document["api"]]
    if "error" in document:
        document["error"] = ErrorCode[document["error"]]
    return Entry(**{name: value for name, value in document.items() if name in _FIELDS})


_FIELDS: Final = frozenset(Entry._fields)


class JsonlParts:
    """The files of a journal that is being written."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Begin the first part."""
        self._folder: Final = folder
        self._manifest: Final = manifest
        self._number = 0
        self._room = 0
        self._rows = 0
        self._file: IO[bytes] | None = None

    def write(self, recorded: Recorded, expansion: Expansion) -> None:
        """Write the entries of an event."""
        self.write_entries(expansion.entries(recorded))

    def write_entries(self, entries: list[Entry]) -> None:
        """Write entries."""
        text = b"".join([line_of(entry) for entry in entries])
        if self._room <= 0 or self._file is None:
            self._next_part()
        assert self._file is not None
        self._file.write(text)
        self._room -= len(text)
        self._rows += len(entries)

    def _next_part(self) -> None:
        if self._file is not None:
            self._file.close()
        self._number += 1
        path = part_path(self._folder, self._number, SUFFIX)
        self._file = path.open("xb", buffering=1 << 16)
        self._room = PART_BYTES

    def flush(self) -> None:
        """Make all lines readable."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Complete the last part."""
        if self._file is not None:
            self._file.close()
        self._manifest.close(self._folder, self._rows)

    def abandon(self) -> None:
        """Close the last part as it is."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


def read_jsonl(
    folder: Path, advance: Advance = ignore_advance, parts: Sequence[Path] | None = None
) -> Iterator[Entry]:
    """Read all entries, or those of some parts; the journal ends at a truncated line.

    `advance` takes the number of bytes that were read.
    """
    for line in _lines(parts_of(folder, SUFFIX) if parts is None else parts):
        advance(len(line))
        if line.endswith(b"\n"):
            yield entry_of(line)


def is_cut_off(line: str) -> bool:
    """Return whether a text is the begin of an entry, and not all of it."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        is_in_text = error.msg.startswith(("Unterminated string", "Invalid \\u"))
        rest = line[error.pos :]
        return line[:1] == "{" and (is_in_text or any(word.startswith(rest) for word in _WORDS))
    return False


def seq_of(line: bytes) -> int:
    """Return the number of an entry; 0 if the line does not begin with it."""
    number = _SEQ.match(line)
    return int(number[1]) if number else 0


def span_of(path: Path) -> PartSpan:
    """Return the numbers of the first and the last entry of a part."""
    try:
        with path.open("rb") as file:
            first, last = seq_of(file.readline(_HEAD_BYTES)), seq_of(_last_line(file))
    except OSError:
        return UNKNOWN_SPAN
    return PartSpan(first, last) if first and last else UNKNOWN_SPAN


def _last_line(file: IO[bytes]) -> bytes:
    """Return the last line that has an end."""
    at, tail = file.seek(0, SEEK_END), b""
    while at and tail.count(b"\n") <= 1:
        size = min(at, max(_BLOCK_BYTES, len(tail)))
        at -= size
        file.seek(at)
        tail = file.read(size) + tail
    return tail[: tail.rfind(b"\n") + 1].removesuffix(b"\n").rpartition(b"\n")[2]


def _lines(parts: Sequence[Path]) -> Iterator[bytes]:
    for path in parts:
        with path.open("rb") as file:
            yield from file

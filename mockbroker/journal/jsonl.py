"""A journal as lines of JSON: an object for each row, without the columns that say nothing.

Produced batches are most of what a journal holds under load, and they differ in a few numbers: for
them the lines are written once, with gaps, and filled in for each.
"""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import IO, Any, Final

from mockbroker.happenings import BatchProduced, ClusterEvent, RunProduced
from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion, run_entries
from mockbroker.journal.heard import Heard
from mockbroker.journal.manifest import Manifest, part_path, parts_of
from mockbroker.journal.produced import ProducedRun, produced_run
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SUFFIX: Final = "jsonl"
PART_BYTES: Final = 256 * 1024 * 1024
_TEMPLATES_KEPT: Final = 1_000
_APIS: Final[Mapping[str, ApiKey]] = {api.title: api for api in ApiKey}


def line_of(entry: Entry) -> str:
    """Write an entry."""
    said = {
        name: _plain(value)
        for name, value in zip(Entry._fields, entry, strict=True)
        if value is not None
    }
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False) + "\n"


def entry_of(line: str | bytes) -> Entry:
    """Read an entry; columns of later versions are left out."""
    said: dict[str, Any] = json.loads(line)
    if "api" in said:
        said["api"] = _APIS[said["api"]]
    if "error" in said:
        said["error"] = ErrorCode[said["error"]]
    return Entry(**{name: value for name, value in said.items() if name in _FIELDS})


_FIELDS: Final = frozenset(Entry._fields)


def _plain(value: object) -> object:
    if isinstance(value, ApiKey):
        return value.title
    return value.name if isinstance(value, Enum) else value


class JsonlParts:
    """The files of a journal that is being written."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Begin the first part."""
        self._folder: Final = folder
        self._manifest: Final = manifest
        self._number = 0
        self._room = 0
        self._file: IO[str] | None = None
        self._lines: Final = ProducedLines()

    def write(self, heard: Heard, expansion: Expansion) -> None:
        """Write the entries of something."""
        happening = heard.happening
        if isinstance(happening, RunProduced | BatchProduced):
            text = self._lines.text(heard, produced_run(happening))
        else:
            text = "".join([line_of(entry) for entry in expansion.entries(heard)])
        self._write(text)

    def write_entries(self, entries: list[Entry]) -> None:
        """Write entries."""
        self._write("".join([line_of(entry) for entry in entries]))

    def _write(self, text: str) -> None:
        if self._room <= 0 or self._file is None:
            self._next_part()
        assert self._file is not None
        self._file.write(text)
        self._room -= len(text)

    def _next_part(self) -> None:
        if self._file is not None:
            self._file.close()
        self._number += 1
        path = part_path(self._folder, self._number, SUFFIX)
        self._file = path.open("x", encoding="utf-8", buffering=1 << 20)
        self._room = PART_BYTES

    def flush(self) -> None:
        """Let all lines be read."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Finish the last part."""
        if self._file is not None:
            self._file.close()
        self._manifest.close(self._folder)


def read_jsonl(folder: Path) -> Iterator[Entry]:
    """Read all entries; a line that was cut off is where the journal ends."""
    for path in parts_of(folder, SUFFIX):
        with path.open("rb") as file:
            yield from (entry_of(line) for line in file if line.endswith(b"\n"))


# Lines with gaps


class ProducedLines:
    """Writes the lines of produced batches: those of one shape are made once, with gaps."""

    def __init__(self) -> None:
        """Know no shape yet."""
        self._templates: Final[dict[tuple[object, ...], str]] = {}

    def text(self, heard: Heard, run: ProducedRun) -> str:
        """Write the lines of all batches of a run."""
        log = run.log
        shape = (
            *(run.sender, log.topic, log.partition, log.leader_id, log.leader_epoch, run.follows),
            *(run.producer_id, run.producer_epoch, run.record_count, run.is_transactional),
        )
        template = self._templates.get(shape)
        if template is None:
            if len(self._templates) >= _TEMPLATES_KEPT:
                self._templates.clear()
            template = self._templates[shape] = _template(run)
        return _filled(template, heard, run)


_GAP: Final = "\x01"
_CONSTANT: Final = "\x02{}\x02"
_COUNTING: Final = (
    *("seq", "call", "correlation_id", "crc"),
    *("base_offset", "last_offset", "log_end_offset"),
)
"""The columns in which the batches of a run differ; some more do in some runs."""
_OF_RUN: Final = ("wall_time_us", "virtual_time_ms", "log_start_offset")
"""The columns in which runs of one shape differ."""


def _gaps(run: ProducedRun) -> frozenset[str]:
    stable_follows, watermark_follows = run.follows
    more = {
        "base_sequence": run.producer_id >= 0,
        "last_stable_offset": stable_follows,
        "high_watermark": watermark_follows,
    }
    return frozenset(_COUNTING).union(name for name, differs in more.items() if differs)


def _constants(run: ProducedRun) -> frozenset[str]:
    fixed = {"last_stable_offset", "high_watermark"} - _gaps(run)
    return frozenset(fixed.union(_OF_RUN))


def _template(run: ProducedRun) -> str:
    """Write the lines of one batch with a mark in each gap; JSON has no such characters."""
    gaps, constants = _gaps(run), _constants(run)
    lines: list[str] = []
    for entry in run_entries(run.one(0), _NOTHING_HEARD):
        said: list[str] = []
        for name, value in zip(Entry._fields, entry, strict=True):
            if value is None:
                continue
            text = json.dumps(_plain(value), ensure_ascii=False)
            if name in gaps:
                text = _GAP
            elif name in constants:
                text = _CONSTANT.format(name)
            said.append(f'"{name}":{text}')
        lines.append("{" + ",".join(said) + "}\n")
    return "".join(lines)


def _filled(template: str, heard: Heard, run: ProducedRun) -> str:
    """Fill in all gaps: column by column, for all batches of the run at once."""
    log = run.log
    template = template.replace(_CONSTANT.format("wall_time_us"), str(heard.wall_time_us))
    template = template.replace(_CONSTANT.format("virtual_time_ms"), str(heard.virtual_time_ms))
    for name in _constants(run) - {"wall_time_us", "virtual_time_ms"}:
        template = template.replace(_CONSTANT.format(name), str(getattr(log, name)))
    parts = template.split(_GAP)
    count = len(run.correlation_ids)
    columns = _columns(heard, run)
    stride = 2 * len(parts) - 1
    pieces: list[str] = [""] * (stride * count)
    for index, part in enumerate(parts):
        pieces[2 * index :: stride] = [part] * count
    for index, column in enumerate(columns):
        pieces[2 * index + 1 :: stride] = column
    return "".join(pieces)


def _columns(heard: Heard, run: ProducedRun) -> list[list[str]]:
    """Return what goes into the gaps, in the order in which they stand."""
    count, size, step = len(run.correlation_ids), run.record_count, len(run.kinds)
    first = run.base_offset
    edges = _texts(first, count + 1, size)
    starts, ends = edges[:-1], edges[1:]
    counted: dict[str, list[str]] = {
        "call": _texts(run.first_number, count),
        "correlation_id": list(map(str, run.correlation_ids)),
        "base_sequence": _texts(run.base_sequence, count),
        "crc": list(map(str, run.crcs)),
        "base_offset": starts,
        "last_offset": starts if size == 1 else _texts(first + size - 1, count, size),
        "last_stable_offset": ends,
        "high_watermark": ends,
        "log_end_offset": ends,
    }
    gaps = _gaps(run)
    columns: list[list[str]] = []
    for index, kind in enumerate(run.kinds):
        columns.append(_texts(heard.seq + index, count, step))
        columns += [counted[name] for name in _GAPS_OF[kind] if name in gaps]
    return columns


def _texts(first: int, count: int, step: int = 1) -> list[str]:
    return list(map(str, range(first, first + count * step, step)))


_OF_CALL: Final = ("call", "correlation_id", "base_sequence")
_GAPS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "request": _OF_CALL,
    "append": (
        *(*_OF_CALL, "crc", "base_offset", "last_offset"),
        *("last_stable_offset", "high_watermark", "log_end_offset"),
    ),
    "answer": (*_OF_CALL, "base_offset"),
}
"""The gaps of each line behind its number, in the order of the columns."""
_NOTHING_HEARD: Final = Heard(0, 0, 0, None, None, ClusterEvent("", {}))

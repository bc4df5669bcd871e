"""A journal's folder in Spark: its manifest, its parts, and the missing parts.

Spark reads everything, so that the path can be on any storage that its workers can read.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from mockbroker.journal.entry import SCHEMA_VERSION
from mockbroker.journal.files.manifest import (
    MANIFEST,
    UNKNOWN_SPAN,
    PartSpan,
    consecutive,
    missing_numbers,
    part_number,
)
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.journal_remarks import are_missing, gaps_between, no_parts
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of
from mockbroker.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNKNOWN: Final[Mapping[str, PartSpan]] = {}
"""The spans of parts before their rows were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file of a journal."""

    path: str
    size_bytes: int
    number: int | None
    """Number in the order of the parts; None if the file name has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalFolder:
    """Readable contents of a journal's folder."""

    path: str
    format: str
    is_closed: bool
    parts: tuple[Part, ...]
    identity: str | None = None
    """What identifies records, if the journal has their identities."""
    row_count: int | None = None
    """Number of rows, once the journal is complete; older versions do not tell it."""
    dropped_count: int = 0
    """Number of entries that memory had dropped before."""
    missing: tuple[int, ...] = ()
    """Numbers of the missing parts."""
    bad: tuple[BadInput, ...] = field(default=())

    @property
    def size_bytes(self) -> int:
        """Size of all parts."""
        return sum(part.size_bytes for part in self.parts)

    @property
    def is_ordered(self) -> bool:
        """True if the file names tell the order of the parts."""
        return all(part.number is not None for part in self.parts)

    def stretches(
        self, broken: Collection[str] = (), spans: Mapping[str, PartSpan] = UNKNOWN
    ) -> list[tuple[Part, ...]]:
        """Split the journal at missing or broken parts, and by spans where entries are missing.

        If files have no numbers, one broken file leaves nothing, because the position of its rows
        is unknown.
        """
        if broken and not self.is_ordered:
            return []
        numbered = self._numbered(spans)
        kept = {number: part for number, part in numbered.items() if part.path not in broken}
        pieces = consecutive(kept, _by_number(kept, spans))
        return [tuple(map(kept.__getitem__, each)) for each in pieces]

    def gaps(self, spans: Mapping[str, PartSpan]) -> list[BadInput]:
        """Report the entries that are missing between parts."""
        numbered = self._numbered(spans)
        names = {number: name_of(part.path) for number, part in numbered.items()}
        by_number = _by_number(numbered, spans)
        return gaps_between(self.path, names, consecutive(numbered, by_number), by_number)

    def _numbered(self, spans: Mapping[str, PartSpan]) -> dict[int, Part]:
        if self.is_ordered:
            return {part.number or 0: part for part in self.parts}
        ordered = sorted(self.parts, key=lambda part: spans.get(part.path, UNKNOWN_SPAN))
        return dict(enumerate(ordered, 1))


def _by_number(numbered: Mapping[int, Part], spans: Mapping[str, PartSpan]) -> dict[int, PartSpan]:
    return {number: spans.get(part.path, UNKNOWN_SPAN) for number, part in numbered.items()}


def name_of(path: str) -> str:
    """Return a file's name from a path, which Spark writes with or without quoting."""
    return unquote(path.rsplit("/", 1)[-1])


def open_journal(session: "SparkSession", path: str) -> JournalFolder:
    """Open a journal's folder.

    Raises:
        BadInputError: it is missing, unreadable, or not a journal that this version reads.

    """
    files = _files(session, path)
    sizes = {name: size for name, size in files.items() if name.rsplit("/", 1)[-1] != MANIFEST}
    if len(sizes) == len(files):
        raise _refusal(
            path,
            f"There is no {MANIFEST} in it, so that it is no journal.",
            "Name a folder that `--journal` or Cluster(journal=...) has written; if its parts were"
            f" rewritten elsewhere, copy {MANIFEST} to them.",
        )
    said = _manifest(session, path)
    suffix = f".{said['format']}"
    parts = sorted(
        (_part(name, size) for name, size in sizes.items() if name.endswith(suffix)),
        key=lambda part: (part.number or 0, part.path),
    )
    if not parts:
        raise BadInputError(no_parts(path, said["format"]))
    missing = _missing(parts, said.get("part_count"))
    folder = JournalFolder(
        path=path,
        format=said["format"],
        is_closed=bool(said.get("is_closed")),
        parts=tuple(parts),
        identity=said.get("identity"),
        row_count=said.get("row_count"),
        dropped_count=said.get("dropped_count") or 0,
        missing=missing,
    )
    return _with_missing_parts_reported(folder)


def _with_missing_parts_reported(folder: JournalFolder) -> JournalFolder:
    if not folder.missing:
        return folder
    names = [f"part-{number:05}.{folder.format}" for number in folder.missing]
    return replace(folder, bad=(are_missing(folder.path, names),))


def _files(session: "SparkSession", path: str) -> dict[str, int]:
    try:
        frame: Any = session.read.format("binaryFile").load(path).select("path", "length")
        rows: Sequence[Any] = frame.collect()
    except SPARK_ERRORS as refused:
        raise _refusal(
            path,
            f"It cannot be read: {reason_of(refused)}.",
            "See that the path is right, and that Spark may read it.",
        ) from refused
    return {row["path"]: row["length"] for row in rows}


def _manifest(session: "SparkSession", path: str) -> dict[str, Any]:
    frame: Any = session.read.text(f"{path}/{MANIFEST}", wholetext=True)
    (row,) = frame.collect()
    try:
        said: dict[str, Any] = json.loads(row["value"])
        version, kind = said["schema_version"], said["format"]
    except (ValueError, KeyError, TypeError) as refused:
        raise _refusal(
            f"{path}/{MANIFEST}", "It is no journal's manifest.", "Write the journal again."
        ) from refused
    if version != SCHEMA_VERSION or kind not in {"parquet", "jsonl"}:
        raise _refusal(
            path,
            f"It is a journal of schema {version} ({kind}), and this is mockbroker {__version__},"
            f" which reads schema {SCHEMA_VERSION}.",
            "Audit it with the mockbroker that has written it"
            f" ({said.get('mockbroker', 'it does not say which')}).",
        )
    return said


def _part(path: str, size_bytes: int) -> Part:
    return Part(path=path, size_bytes=size_bytes, number=part_number(path.rsplit("/", 1)[-1]))


def _missing(parts: Sequence[Part], count: int | None) -> tuple[int, ...]:
    numbers = {part.number for part in parts if part.number is not None}
    if len(numbers) < len(parts):
        return ()
    return tuple(missing_numbers(numbers, count))


def _refusal(where: str, what: str, advice: str) -> BadInputError:
    return BadInputError(BadInput(where=where, what=what, advice=advice))

"""Manifest of a journal's folder (`journal.json`), and the names of its parts.

Parts are numbered in order (`part-00001.jsonl`). If the process was killed, the last part may be
truncated, and the manifest lacks the number of rows; then all readable rows count. The numbers of
entries have no gaps, so that those of each part tell whether something between two is missing.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from mockbroker.journal.entry import SCHEMA_VERSION
from mockbroker.journal.options import JournalFormat
from mockbroker.version import __version__

MANIFEST: Final = "journal.json"
ROWS_A_PART: Final = 200_000
"""How many rows a part of Parquet has at most, about."""
PART_S: Final = 10.0
"""For how long rows of Parquet wait for others, before they are a part of their own."""
_OURS: Final = re.compile(r"part-(\d{5,})\.\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The cluster that a journal is from, and its format."""

    format: JournalFormat
    cluster_id: str
    kafka: str
    """The emulated release."""
    seed: int
    identity: str | None = None
    """What identifies a record, if the journal has the identities of records; `off` if nothing."""
    is_closed: bool = False
    """True if the journal is complete."""
    part_count: int | None = None
    """Number of parts, once the journal is complete."""
    row_count: int | None = None
    """Number of rows, once the journal is complete; older versions do not tell it."""
    dropped_count: int = 0
    """Number of entries before the first one that memory had dropped when they were exported."""
    schema_version: int = SCHEMA_VERSION
    mockbroker: str = __version__
    """The version of mockbroker that wrote it."""

    def create(self, folder: Path) -> None:
        """Create the folder of a journal.

        Raises:
            FileExistsError: there is something in it.
            OSError: it cannot be made.

        """
        make_own_folder(folder, "journal")
        self.write(folder)

    def close(self, folder: Path, row_count: int) -> None:
        """Mark the journal as complete."""
        count = len(parts_of(folder, self.format))
        closed = replace(self, is_closed=True, part_count=count, row_count=row_count)
        closed.write(folder)

    def write(self, folder: Path) -> None:
        """Write the manifest to a folder, atomically."""
        write_whole(folder / MANIFEST, asdict(self))

    @staticmethod
    def read(folder: Path) -> "Manifest":
        """Read the manifest of a folder.

        Raises:
            ValueError: it is of a schema that this version does not know.
            OSError: there is no journal.

        """
        document: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if document["schema_version"] != SCHEMA_VERSION:
            raise ValueError(
                f"{folder} is a journal of schema {document['schema_version']}, "
                f"but mockbroker {__version__} reads schema {SCHEMA_VERSION}"
            )
        return Manifest(**{name: document[name] for name in Manifest.__slots__ if name in document})


class FolderWatch:
    """Check that a journal's folder is still the one that was created."""

    def __init__(self, folder: Path) -> None:
        """Remember the manifest's file, which nobody replaces until the journal is complete."""
        self.folder: Final = folder
        self._manifest: Final = (folder / MANIFEST).stat()

    def check(self) -> None:
        """Check it; files that were removed while they were open take writes without an error.

        Raises:
            OSError: the folder is gone, or is another one.

        """
        try:
            is_same = os.path.samestat((self.folder / MANIFEST).stat(), self._manifest)
        except OSError:
            is_same = False
        if not is_same:
            raise OSError("its folder was removed or replaced while the cluster ran")


def make_own_folder(folder: Path, what: str) -> None:
    """Create an empty folder.

    Raises:
        FileExistsError: there is something in it.
        OSError: it cannot be made.

    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: a {what} needs a new folder")


def write_whole(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document as JSON atomically: to a hidden file, which is then renamed."""
    new = path.with_name(f".{path.name}")
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(path)


def part_path(folder: Path, number: int, suffix: str) -> Path:
    """Return the path of a part."""
    return folder / f"part-{number:05}.{suffix}"


class PartSpan(NamedTuple):
    """Numbers of the first and the last row of a part."""

    first_seq: int
    last_seq: int


UNKNOWN_SPAN: Final = PartSpan(0, 0)
"""The span of a part that does not tell it."""
NO_SPANS: Final[Mapping[int, PartSpan]] = {}


def part_number(name: str) -> int | None:
    """Return the number in the name of a part; None if it has another name."""
    ours = _OURS.fullmatch(name)
    return int(ours[1]) if ours else None


def parts_of(folder: Path, suffix: str) -> list[Path]:
    """List the parts of a journal in the order of their numbers, or else of their names.

    Empty files are left out, as a failed copy leaves them: their rows are missing.
    """
    parts = (path for path in folder.glob(f"part-*.{suffix}") if path.stat().st_size)
    return sorted(parts, key=lambda path: (part_number(path.name) or 0, path.name))


def missing_numbers(numbers: Iterable[int], count: int | None = None) -> list[int]:
    """Return the numbers of missing parts, where some are there, and so many were written."""
    there = {*numbers}
    return sorted({*range(1, max([*there, count or 0]) + 1)} - there)


def consecutive(
    numbers: Iterable[int], spans: Mapping[int, PartSpan] = NO_SPANS
) -> list[list[int]]:
    """Divide the numbers of parts, in the order of their rows, where parts or entries are missing.

    Entries are looked at if the spans of all parts are known.
    """
    there = {*numbers}
    known = spans if all(spans.get(each, UNKNOWN_SPAN).last_seq for each in there) else NO_SPANS
    pieces: list[list[int]] = []
    reached = 0
    for number in sorted(there, key=lambda each: (known.get(each, UNKNOWN_SPAN), each)):
        first_seq, last_seq = known.get(number, UNKNOWN_SPAN)
        is_next = pieces and there.issuperset(between(pieces[-1][-1], number))
        if not is_next or first_seq > reached + 1:
            pieces.append([])
        pieces[-1].append(number)
        reached = max(reached, last_seq)
    return pieces


def between(number: int, other: int) -> range:
    """Return the numbers between those of two parts."""
    return range(min(number, other) + 1, max(number, other))

"""What a folder says of the journal in it (`journal.json`), and how its parts are named.

Parts are numbered in order (`part-00001.jsonl`). The last one may end anywhere, where the process
was killed: the manifest then does not say how many rows there are, and what can be read counts.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from mockbroker.journal.entry import SCHEMA_VERSION
from mockbroker.journal.options import JournalFormat
from mockbroker.version import __version__

MANIFEST: Final = "journal.json"
ROWS_A_PART: Final = 200_000
"""How many rows a part of Parquet has at most, about."""
PART_S: Final = 10.0
"""For how long rows of Parquet wait for others, before they are a part of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Of which cluster a journal is, and how it is written."""

    format: JournalFormat
    cluster_id: str
    kafka: str
    """The release that the cluster behaves like."""
    seed: int
    is_closed: bool = False
    """Whether all of it was written."""
    part_count: int | None = None
    """How many parts there are, once all of it was written."""
    schema_version: int = SCHEMA_VERSION
    mockbroker: str = __version__
    """The version that wrote it."""

    def create(self, folder: Path) -> None:
        """Make the folder of a journal.

        Raises:
            FileExistsError: there is something in it.
            OSError: it cannot be made.

        """
        make_own_folder(folder, "journal")
        self.write(folder)

    def close(self, folder: Path) -> None:
        """Say that all was written."""
        count = len(parts_of(folder, self.format))
        replace(self, is_closed=True, part_count=count).write(folder)

    def write(self, folder: Path) -> None:
        """Write it into a folder, whole or not at all."""
        write_whole(folder / MANIFEST, asdict(self))

    @staticmethod
    def read(folder: Path) -> "Manifest":
        """Read what a folder says.

        Raises:
            ValueError: it is of a schema that this version does not know.
            OSError: there is no journal.

        """
        said: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if said["schema_version"] != SCHEMA_VERSION:
            raise ValueError(
                f"{folder} is a journal of schema {said['schema_version']}, "
                f"and this is mockbroker {__version__}, which reads {SCHEMA_VERSION}"
            )
        return Manifest(**{name: said[name] for name in Manifest.__slots__ if name in said})


def make_own_folder(folder: Path, what: str) -> None:
    """Make a folder for something, which shares it with nothing else.

    Raises:
        FileExistsError: there is something in it.
        OSError: it cannot be made.

    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: a {what} needs a folder of its own")


def write_whole(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document as JSON, whole or not at all: under another name first, which is hidden."""
    new = path.with_name(f".{path.name}")
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(path)


def part_path(folder: Path, number: int, suffix: str) -> Path:
    """Name a part."""
    return folder / f"part-{number:05}.{suffix}"


def parts_of(folder: Path, suffix: str) -> list[Path]:
    """List the parts of a journal, in order."""
    return sorted(folder.glob(f"part-*.{suffix}"))

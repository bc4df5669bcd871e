"""Reports of how much of a journal was read."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

from mockbroker.events.progress_bar import Advance, ignore_advance
from mockbroker.journal.files.manifest import Manifest, parts_of

Reading: TypeAlias = Callable[[int], AbstractContextManager[Advance]]
"""Begins a report of so many bytes to read; a journal may be read several times."""


@contextmanager
def unseen(_size_bytes: int) -> Generator[Advance]:
    """Report nothing."""
    yield ignore_advance


def size_of(folder: str | Path) -> int:
    """Return the size of a journal's parts in bytes.

    Raises:
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.

    """
    path = Path(folder)
    return sum(part.stat().st_size for part in parts_of(path, Manifest.read(path).format))

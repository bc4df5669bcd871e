"""Rows on disk, divided so that one part of them fits into memory (extra `spark`)."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mockbroker.audit.shards.scoped_rows import plain
from mockbroker.audit.storage.temporary_files import temporary_file

pa: Any = import_module("pyarrow")
ipc: Any = import_module("pyarrow.ipc")


class Buckets:
    """Tables of which each row is put into one of some temporary files."""

    def __init__(self, count: int) -> None:
        """Start with empty buckets."""
        self._files: Final = [temporary_file(self) for _ in range(count)]
        self._writers: Final[list[Any]] = [None] * count

    def add(self, table: Any, keys: NDArray[np.int64]) -> None:
        """Add rows; those with the same key come into the same bucket."""
        rows = plain(table)
        numbers = keys % len(self._files)
        for number in np.unique(numbers):
            if self._writers[number] is None:
                options = ipc.IpcWriteOptions(compression="lz4")
                file = self._files[number]
                self._writers[number] = ipc.new_stream(file, rows.schema, options=options)
            self._writers[number].write_table(rows.filter(pa.array(numbers == number)))

    def __iter__(self) -> Iterator[Any]:
        """Yield readers of all buckets in turn, once."""
        for file, writer in zip(self._files, self._writers, strict=True):
            if writer is not None:
                writer.close()
                file.seek(0)
                yield ipc.open_stream(file)
            file.close()

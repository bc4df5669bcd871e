"""Rows on disk, divided so that one part of them fits into memory (extra `spark`)."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mockbroker.audit.storage.temporary_files import temporary_file

pa: Any = import_module("pyarrow")
ipc: Any = import_module("pyarrow.ipc")

_IN_MEMORY_MAX: Final = 1 << 16


class Buckets:
    """Tables of which each row is put into one of some temporary files."""

    def __init__(self, count: int) -> None:
        """Start with empty buckets."""
        self._files: Final = [temporary_file(self, _IN_MEMORY_MAX) for _ in range(count)]
        self._writers: Final[list[Any]] = [None] * count

    def add(self, table: Any, keys: NDArray[np.int64]) -> None:
        """Add rows; those with the same key come into the same bucket."""
        numbers = keys % len(self._files)
        rows = table.take(pa.array(np.argsort(numbers, kind="stable"))).combine_chunks()
        begin = 0
        for number, count in enumerate(np.bincount(numbers, minlength=len(self._files)).tolist()):
            if count and self._writers[number] is None:
                options = ipc.IpcWriteOptions(compression="lz4")
                file = self._files[number]
                self._writers[number] = ipc.new_stream(file, rows.schema, options=options)
            if count:
                self._writers[number].write_table(rows.slice(begin, count))
            begin += count

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows of all buckets in turn, once."""
        for file, writer in zip(self._files, self._writers, strict=True):
            if writer is not None:
                writer.close()
                file.seek(0)
                yield ipc.open_stream(file).read_all().unify_dictionaries().combine_chunks()
            file.close()

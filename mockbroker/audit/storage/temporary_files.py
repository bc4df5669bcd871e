"""Temporary files that are as old as their owner."""

import weakref
from tempfile import SpooledTemporaryFile
from typing import IO


def temporary_file(owner: object, in_memory_max: int) -> IO[bytes]:
    """Open a file without a name, and close it when its owner is gone.

    Up to so many bytes are in memory.
    """
    file = SpooledTemporaryFile(in_memory_max, prefix="mockbroker-audit-")  # noqa: SIM115 # read later
    weakref.finalize(owner, file.close)
    return file

"""Temporary files that are as old as their owner."""

import weakref
from tempfile import TemporaryFile
from typing import IO


def temporary_file(owner: object) -> IO[bytes]:
    """Open a file without a name, and close it when its owner is gone."""
    file = TemporaryFile(prefix="mockbroker-audit-")  # noqa: SIM115 # the owner reads it later
    weakref.finalize(owner, file.close)
    return file

"""Where what was fetched or made once is kept for the next time."""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder `mockbroker` among the caches of this user (`XDG_CACHE_HOME`)."""
    caches = environment.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "mockbroker"


def kept(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return the folder; where it is not there yet, it is filled under another name and then named.

    So a folder that is there is whole, also when two processes came at once, or one was killed.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        fill(scratch)
        scratch.chmod(0o755)
        try:
            scratch.rename(folder)
        except OSError:
            if not folder.is_dir():  # nobody else was faster
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder

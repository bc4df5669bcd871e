"""Cache folder for files that were fetched or built once."""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder `mockbroker` among the caches of this user (`XDG_CACHE_HOME`)."""
    caches = environment.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "mockbroker"


def filled_folder(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return the folder; if it does not exist, fill it under another name and then rename it.

    So an existing folder is complete, even if two processes created it or one was killed.
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
            if not folder.is_dir():  # no other process was faster
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder

"""Static files of the live page, read from the package."""

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).parent
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE: Final = "index.html"


class StaticFile(NamedTuple):
    """Contents of a file, and their media type."""

    content: bytes
    media_type: str


@cache
def static_files() -> dict[str, StaticFile]:
    """Read all files of the page, by their paths in its folder."""
    return {
        path.relative_to(_FOLDER).as_posix(): StaticFile(
            path.read_bytes(), _MEDIA_TYPES[path.suffix]
        )
        for path in sorted(_FOLDER.rglob("*"))
        if path.suffix in _MEDIA_TYPES
    }

"""The Chromium in which tests look at the live page."""

import os
import shutil
from pathlib import Path
from typing import Final

_INSTALLED: Final = Path("/usr/bin/chromium")


def chromium(environment: dict[str, str]) -> str | None:
    """Find Chromium: of the environment, installed by Debian's package, or on the PATH."""
    if named := environment.get("CHROMIUM"):
        return named if Path(named).is_file() else None
    return str(_INSTALLED) if _INSTALLED.is_file() else shutil.which("chromium")


CHROMIUM: Final = chromium(dict(os.environ))
"""The path of the program; None where there is none."""

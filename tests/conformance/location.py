"""Location of scripts and recordings: the working copy, or an archive in an installed package."""

import zipfile
from pathlib import Path
from typing import Final, TypeAlias

Location: TypeAlias = Path | zipfile.Path
"""A folder or a file, on disk or in the archive."""

_ROOT: Final = Path(__file__).parents[2]
ROOT: Final[Location] = _ROOT if _ROOT.is_dir() else zipfile.Path(_ROOT)
FACTS: Final = ROOT / "tests" / "facts"
CONFORMANCE: Final = ROOT / "tests" / "conformance"
GOLDEN: Final = CONFORMANCE / "golden"

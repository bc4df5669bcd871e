"""The version of the package; `pyproject.toml` has the same one."""

from typing import Final

__version__: Final = "0.2.0"

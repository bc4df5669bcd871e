"""Write the client matrix into docs/reference/clients.md.

    python -m tools.client_matrix

The table is made from the test classes: a cell is ticked if the class has the test of that program.
That test runs wherever tests run, and CI does not skip it.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.clients.support.matrix import table
from tests.clients.support.matrix_scenarios import MatrixScenarios

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "clients.md"

_FOLDER: Final = ROOT / "tests" / "clients"
_BEGIN: Final = "<!-- The client matrix is made by `make docs` (tools/client_matrix.py). -->\n"
_END: Final = "<!-- The client matrix ends here. -->\n"


def rows() -> list[type[MatrixScenarios]]:
    """Return the classes of all clients, by the names on their rows."""
    found = [row for path in _FOLDER.glob("test_*.py") for row in _rows_of(path)]
    return sorted(found, key=lambda row: (row.title.lower(), row.version))


def _rows_of(path: Path) -> Iterator[type[MatrixScenarios]]:
    if MatrixScenarios.__name__ not in path.read_text("utf-8"):
        return  # what some other tests import is not installed everywhere
    module = importlib.import_module(f"tests.clients.{path.stem}")
    for value in vars(module).values():
        is_row = isinstance(value, type) and issubclass(value, MatrixScenarios)
        if is_row and value.__module__ == module.__name__:
            yield value


def with_matrix(text: str) -> str:
    """Return the text of the page with a new matrix.

    Raises: ValueError if the text has no place for it.
    """
    before, rest = text.split(_BEGIN)
    _, after = rest.split(_END)
    return f"{before}{_BEGIN}\n{table(rows(), MatrixScenarios)}\n{_END}{after}"


def main() -> None:
    """Write the table."""
    PAGE.write_text(with_matrix(PAGE.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

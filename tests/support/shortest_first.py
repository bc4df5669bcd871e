"""Plugin that runs the shortest tests first, by the times that mutmut measured (`make mutants`).

Most mutants then fail at once. mutmut runs tests in the folder that has its measurements.
"""

import json
from pathlib import Path
from typing import Final

import pytest

MEASURED: Final = Path("mutmut-stats.json")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by duration; without measurements their order stays."""
    if MEASURED.exists():
        seconds = json.loads(MEASURED.read_text("utf-8"))["duration_by_test"]
        items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))

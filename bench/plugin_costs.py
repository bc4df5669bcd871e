"""Cost of the pytest plugin in a test run: its import, and a fresh cluster for each test.

    python -m bench.plugin_costs

Each run is a process of its own; half of them do without. What only the first test of a run pays,
such as imports, is left out: it is the same in runs of few tests and of many. Prints one JSON
object.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

_IMPORTS: Final = 9
_RUNS: Final = 3
_FEW: Final = 100
_MANY: Final = 500
_IMPORT: Final = (
    "import pytest, time; begin = time.perf_counter(); import mockbroker.pytest_plugin;"
    "print(time.perf_counter() - begin)"
)
_WITHOUT: Final = "def test_{number}() -> None:\n    pass\n\n\n"
_WITH: Final = (
    "def test_{number}(mockbroker) -> None:\n    assert mockbroker.bootstrap_servers\n\n\n"
)


def _import_ms() -> float:
    command = [sys.executable, "-c", _IMPORT]
    took_s = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(took_s) * 1000


def _run_s(tests: str, count: int, folder: Path) -> float:
    file = folder / "test_it.py"
    file.write_text("".join(tests.format(number=number) for number in range(count)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:xdist"]
    begin = time.perf_counter()
    subprocess.run([*command, str(file)], check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - begin


def main() -> None:
    """Measure alternately, and print the medians."""
    imports = [_import_ms() for _ in range(_IMPORTS)]
    each_ms: list[float] = []
    with tempfile.TemporaryDirectory(prefix="bench-plugin-") as directory:
        folder = Path(directory)
        (folder / "pytest.ini").write_text("[pytest]\n")
        for _ in range(_RUNS):
            few_s, many_s = (
                _run_s(_WITH, count, folder) - _run_s(_WITHOUT, count, folder)
                for count in (_FEW, _MANY)
            )
            each_ms.append((many_s - few_s) / (_MANY - _FEW) * 1000)
    figures = {"import_ms": median(imports), "each_test_ms": median(each_ms)}
    print(json.dumps({"plugin": figures}))


if __name__ == "__main__":
    main()

"""Modules are imported by their one name, and every module is used."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from tests.tidy.repository import CODE, ROOT, Sources, modules, parsed, python, refuse, sources

ENTRY_POINTS = {
    "mockbroker",
    "mockbroker.__main__",
    "mockbroker.cli.main",
    "mockbroker.pipeline.__main__",
    "mockbroker.pytest_plugin",
}
# One module per API, found by name when it is first asked for, and the guard around them; and
# blobs that only clients read.
FOUND_BY_NAME = (
    "mockbroker.broker.authorization.guard",
    "mockbroker.broker.handlers.",
    "mockbroker.protocol.consumer_protocol",
    "mockbroker.protocol.log_records.",
    "mockbroker.protocol.messages.",
)
LINKS = {"protocol", "state"}

IMPORT_ALL = """
import importlib, pkgutil, sys, mockbroker
for module in pkgutil.walk_packages(mockbroker.__path__, "mockbroker."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            if missing.name.split(".")[0] not in {"pyspark", "pyarrow", "numpy"}:  # of an extra
                raise
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""

# What a start must not wait for: docs/decisions/0013 says what to do instead.
AFTER_THE_START = {
    "click",
    "construct",
    "crc32c",
    "cramjam",
    "dataclasses",
    "difflib",
    "json",
    "mockbroker.events.event_types",
    "mockbroker.state.events",
    "msgspec",
    "starlette",
    "structlog",
    "uvicorn",
    "zstandard",
}
WITH_FAULTS = ("mockbroker.faults.", "msgspec", "difflib")
SHARED_CODE = "mockbroker._compiled__mypyc"
OURS_AT_THE_START_MAX = 102
"""Modules besides the packages that hold them, whose `__init__.py` are empty."""


@cache
def imported_names(text: str) -> frozenset[str]:
    """Return every dotted name that a source imports, or spells as a string to import it late."""
    return frozenset(_imported_names(text))


def _imported_names(text: str) -> Iterator[str]:
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.Constant(value=str(value)) if value.startswith("mockbroker."):
                yield value
            case _:
                pass


def bare_imports(files: Sources) -> list[str]:
    return [
        f"{path} imports {name}"
        for path, text in python(files, "").items()
        for name in imported_names(text)
        if name.split(".")[0] in LINKS
    ]


def dead_modules(files: Sources) -> list[str]:
    users: dict[str, set[str]] = {}
    for path, text in python(files, *CODE).items():
        for name in imported_names(text):
            users.setdefault(name, set()).add(path)
    return [
        name
        for name, path in modules(files).items()
        if name not in ENTRY_POINTS
        and not name.startswith(FOUND_BY_NAME)
        and not path.endswith(("__init__.py", "__main__.py"))
        and not users.get(name, set()) - {path}
    ]


@pytest.mark.slow
def test_no_source_imports_a_floor_by_its_bare_name() -> None:
    refuse(bare_imports(sources()))


@pytest.mark.slow
def test_importing_everything_loads_no_second_copy() -> None:
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert "mockbroker" in loaded
    assert not loaded & LINKS


def test_a_start_imports_no_more_than_it_needs() -> None:
    script = (
        "import sys, mockbroker.cli.main, mockbroker.cli.serve\n"
        "print(*(n for n, m in sorted(sys.modules.items()) if not hasattr(m, '__path__')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = set(run.stdout.split())
    ours = {name for name in loaded if name.startswith("mockbroker")} - {
        "mockbroker._compiled__mypyc"
    }
    assert len(ours) <= OURS_AT_THE_START_MAX, sorted(ours)
    assert not loaded & AFTER_THE_START
    assert not {name for name in ours if name.startswith("mockbroker.broker.handlers.")}


def test_a_cluster_starts_without_importing_faults_and_audit_rules() -> None:
    script = (
        "import sys\nfrom mockbroker import Cluster\nwith Cluster(topics={'orders': 1}):\n"
        "    print(*sorted(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "mockbroker.journal.compact.row_recorder" in run.stdout.split()
    assert not {name for name in run.stdout.split() if name.startswith(WITH_FAULTS)}
    audit = {name for name in run.stdout.split() if name.startswith("mockbroker.audit")}
    assert audit <= {
        "mockbroker.audit",
        "mockbroker.audit.cluster",
        "mockbroker.audit.cluster.partition_view",
        "mockbroker.audit.finding",
    }


@pytest.mark.slow
def test_no_module_is_dead() -> None:
    refuse(dead_modules(sources()))


@pytest.mark.parametrize("line", ["import state", "from protocol.types import X", "import state.a"])
def test_a_bare_import_is_detected(line: str) -> None:
    planted = {"tests/state/test_x.py": f"{line}\n", "mockbroker/x.py": "import mockbroker.state\n"}
    assert {found.split()[0] for found in bare_imports(planted)} == {"tests/state/test_x.py"}


def test_a_module_that_nobody_imports_is_detected() -> None:
    planted = {
        "mockbroker/cli/main.py": "from mockbroker import used\n",
        "mockbroker/used.py": 'LATE = "mockbroker.late"\n',
        "mockbroker/late.py": "",
        "mockbroker/dead.py": "import mockbroker.dead\n",
        "mockbroker/broker/handlers/fetch.py": "",
        "tests/test_dead.py": "import mockbroker.dead\n",
    }
    assert dead_modules(planted) == ["mockbroker.dead"]

"""Bytecode of test modules, with pytest's assertions, made once for all processes of a run."""

import os
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion import rewrite

_TESTS: Final = Path(__file__).resolve().parents[1]


def compile_in_turn(config: pytest.Config) -> None:
    """Compile the test modules that no process has compiled, and save their bytecode.

    All processes of a run collect all tests, in the same order and at the same time, and the
    modules take longer to compile than to import. So each process begins elsewhere.
    """
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    count = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    modules = sorted(_TESTS.rglob("test_*.py"))
    first = len(modules) * number // count
    for module in modules[first:] + modules[:first]:
        _compile(module, config)


def _compile(module: Path, config: pytest.Config) -> None:
    """Do what pytest's import hook does when there is no bytecode."""
    folder = rewrite.get_cache_dir(module)
    bytecode = folder / (module.stem + rewrite.PYC_TAIL)
    if not bytecode.exists() and rewrite.try_makedirs(folder):
        source, code = rewrite._rewrite_test(module, config)  # noqa: SLF001
        state = config.stash[rewrite.assertstate_key]
        rewrite._write_pyc(state, code, source, bytecode)  # noqa: SLF001

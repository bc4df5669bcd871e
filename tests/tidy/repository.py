"""The repository as the tidy rules see it: text by path, so a rule can be shown another tree."""

import ast
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import pytest

ROOT: Final = Path(__file__).parents[2]
CODE: Final = ("mockbroker/", "tools/", "bench/")

Sources: TypeAlias = Mapping[str, str]
"""Text by path, relative to the root, with forward slashes."""


@cache
def sources() -> Sources:
    """Read every text file that git tracks, or would track; links and binary files are left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return dict(_texts(name for name in sorted(listed.split("\0")) if name))


def _texts(names: Iterator[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            try:
                yield name, path.read_text("utf-8")
            except UnicodeDecodeError:
                continue


def python(files: Sources, *folders: str) -> dict[str, str]:
    """Keep the Python files under these folders."""
    return {
        path: text
        for path, text in files.items()
        if path.endswith(".py") and path.startswith(folders)
    }


def modules(files: Sources) -> dict[str, str]:
    """Return the dotted name of each of mockbroker's modules, with its path."""
    return {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in python(files, "mockbroker/")
    }


def refuse(violations: list[str]) -> None:
    """Fail with one line for each violation."""
    if violations:
        pytest.fail("\n".join(violations), pytrace=False)


@cache
def parsed(text: str) -> ast.Module:
    """Parse a source once for all rules."""
    return ast.parse(text)

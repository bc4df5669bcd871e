"""Planting of bugs: a function of the brokers gets the code of a changed source for a while.

A planted bug is a piece of a module's source and its replacement. The changed source is compiled,
and the function with the change gets the code of its new version, wherever it is in use. A module
of `tools/compilation.py` has native code, whose functions cannot change. Where the bug is in one of
these, the process runs their sources instead: it has to ask for that before it imports them.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from operator import attrgetter
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final, NamedTuple

from tools.compilation import MODULES, ROOT

_NATIVE: Final = {name.removesuffix(".py").replace("/", "."): ROOT / name for name in MODULES}


class Planted(NamedTuple):
    """A bug, and what it does."""

    name: str
    seed: int
    """A simulation that finds it."""
    module: str
    old: str
    """A piece of the source that occurs once."""
    new: str
    sharing: str | None = None
    """Protocol of the group that it needs."""

    @property
    def is_native(self) -> bool:
        """True if it is in a module that is compiled."""
        return self.module in _NATIVE


class _Sources:
    """Finder of the sources of modules that have native code, too."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the source of a native module."""
        source = _NATIVE.get(name)
        return None if source is None else spec_from_file_location(name, source)


def run_sources() -> None:
    """Let this process run the sources of native modules; none may be imported yet."""
    assert not _NATIVE.keys() & sys.modules.keys(), "native modules are imported already"
    sys.meta_path.insert(0, _Sources)


@contextmanager
def planted(bug: Planted) -> Iterator[None]:
    """Let the brokers have a bug."""
    changed = [(_function(bug.module, code), code) for code in changed_functions(bug)]
    before = [(function, function.__code__) for function, _ in changed]
    try:
        for function, code in changed:
            function.__code__ = code
        yield
    finally:
        for function, code in before:
            function.__code__ = code


def changed_functions(bug: Planted) -> list[CodeType]:
    """Return the code of the functions that a bug changes.

    Raises:
        AssertionError: its source has changed, so that the bug is not there or not one function.

    """
    spec = find_spec(bug.module)
    assert spec is not None, bug.module
    path = ROOT / Path(*bug.module.split(".")).with_suffix(".py")
    source = path.read_text("utf-8")
    assert source.count(bug.old) == 1, (
        f"the bug {bug.name!r} can no longer be planted: {path} has the source that it replaces"
        f" {source.count(bug.old)} times. Change it in planted_bugs.py:\n{bug.old}"
    )
    first = source[: source.index(bug.old)].count("\n") + 1
    mutated = source.replace(bug.old, bug.new)
    found = list(_innermost(compile(mutated, str(path), "exec"), first))
    assert found, f"the bug {bug.name!r} is in no function: line {first} of {path}"
    return found


def _innermost(code: CodeType, line: int) -> Iterator[CodeType]:
    """Yield the outermost function around a line; classes are passed."""
    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            continue
        lines = [number for _, _, number in _all_lines(inner) if number is not None]
        if not lines or not min(lines) <= line <= max(lines):
            continue
        is_class = "__qualname__" in inner.co_names and not inner.co_flags & 2
        if is_class:
            yield from _innermost(inner, line)
        else:
            yield inner


def _all_lines(code: CodeType) -> Iterator[tuple[int, int, int | None]]:
    yield from code.co_lines()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _all_lines(inner)


def _function(module: str, code: CodeType) -> FunctionType:
    """Return the function that a changed code replaces."""
    *owner, name = code.co_qualname.split(".")
    where: object = import_module(module)
    found = vars(attrgetter(".".join(owner))(where) if owner else where)[name]
    if isinstance(found, property):
        found = found.fget if code.co_argcount == 1 else found.fset
    elif isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    assert isinstance(found, FunctionType), f"{code.co_qualname} of {module} is native: {found}"
    return found

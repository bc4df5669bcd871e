"""The Python form of the compiled modules, beside the compiled one."""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Final

from tools.compilation import MODULES

NAMES: Final = tuple(path.removesuffix(".py").replace("/", ".") for path in MODULES)


class _SourceFinder(PathFinder):
    """Finds the sources of the compiled modules."""

    @classmethod
    def find_spec(
        cls,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG003 - of the interface
    ) -> ModuleSpec | None:
        if fullname not in NAMES or not path:
            return None
        source = f"{next(iter(path))}/{fullname.rpartition('.')[2]}.py"
        loader = SourceFileLoader(fullname, source)
        return spec_from_file_location(fullname, source, loader=loader)


def interpreted_modules() -> dict[str, ModuleType]:
    """Import the modules from their sources, apart from those that the process uses."""
    used = {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        del sys.modules[name]
    sys.meta_path.insert(0, _SourceFinder)
    try:
        return {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.meta_path.remove(_SourceFinder)
        for name, module in used.items():
            sys.modules[name] = module
            package, _, attribute = name.rpartition(".")
            setattr(sys.modules[package], attribute, module)


def is_compiled(module: ModuleType) -> bool:
    """Return True if a module runs as native code."""
    return not str(module.__file__).endswith(".py")

"""Hooks of hatchling: what a wheel has beside the package.

The innermost loops are compiled if there is a compiler, and recordings of real Kafka are archived.
"""

import os
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from tools import compilation, conversations

PURE = "MOCKBROKER_PURE"
"""Variable that, if it is set, has a wheel made without native code, for any Python."""


def _compiles() -> bool:
    return not os.environ.get(PURE) and compilation.has_compiler()


class CompilationHook(BuildHookInterface[Any]):
    """Adds the extension modules to a wheel; an editable install compiles with `make`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Take hatchling's arguments, and start without a temporary folder."""
        super().__init__(*arguments, **options)
        self._temporary = ExitStack()

    def dependencies(self) -> list[str]:
        """Return what the compilation needs."""
        project = tomllib.loads(Path(self.root, "pyproject.toml").read_text("utf-8"))
        wanted: list[str] = project["dependency-groups"]["compile"]
        return wanted if _compiles() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Archive and compile, and name a compiled wheel by Python and platform."""
        if version == "editable":
            return
        self._archive(build_data)
        if _compiles():
            self._compile(build_data)

    def _archive(self, build_data: dict[str, Any]) -> None:
        folder = Path(self._temporary.enter_context(TemporaryDirectory()))
        archive = folder / conversations.ARCHIVE.name
        if conversations.write(archive, Path(self.root)):
            build_data["force_include"][str(archive)] = str(conversations.ARCHIVE)

    def _compile(self, build_data: dict[str, Any]) -> None:
        root = target = Path(self.root)
        if not compilation.is_compiled(root):
            target = Path(self._temporary.enter_context(TemporaryDirectory()))
            try:
                compilation.compile_modules(root, target)
            except subprocess.CalledProcessError:
                self.app.display_warning("the compiler failed: the modules run as Python")
                return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for made in compilation.extensions(target):
            build_data["force_include"][str(made)] = str(made.relative_to(target))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the folder of the extension modules, which are in the wheel now."""
        self._temporary.close()

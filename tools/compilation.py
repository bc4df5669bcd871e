"""Compile the innermost loops with mypyc: records, the Produce template, the fast path.

    python -m tools.compilation [--remove | --possible]

The extension modules lie beside their sources, and Python prefers them. Without a C compiler there
are none, and the sources run as they are: with the same answers, only slower.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parent.parent
MODULES: Final = (
    "mockbroker/protocol/produce_template.py",
    "mockbroker/protocol/records/validation/survey.py",
    "mockbroker/protocol/records/validation/fast_validator.py",
    "mockbroker/state/log/segment.py",
    "mockbroker/state/log/log_segments.py",
    "mockbroker/state/log/memory_budget.py",
    "mockbroker/state/log/timestamp_shifts.py",
    "mockbroker/state/log/partition_log.py",
    "mockbroker/state/producer/producer_state_entry.py",
    "mockbroker/state/producer/producer_state_manager.py",
    "mockbroker/broker/produce/fast_path/produce_path.py",
)
"""The sources that are compiled, together, so that they call each other without Python."""

GROUP: Final = "mockbroker._compiled"
_TYPES: Final = """
[mypy]
follow_imports = skip
[mypy-mockbroker.*]
follow_imports = silent
"""
"""Types of other packages do not make the code faster, and take ten seconds to read."""


def has_compiler() -> bool:
    """Return True if a C compiler and Python's headers are installed."""
    command = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(command) is not None and headers.exists()


def extensions(root: Path = ROOT) -> list[Path]:
    """Return the files that a compilation for this Python makes, whether they exist or not."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    shared = GROUP.replace(".", "/") + "__mypyc.py"
    return [(root / name).with_suffix(suffix) for name in (shared, *MODULES)]


def compile_modules(root: Path, target: Path) -> None:
    """Compile the modules of the sources in `root` into the same folders of `target`.

    Raises:
        CalledProcessError: mypy or the compiler refuses them; they have said why.

    """
    script = f"from tools.compilation import _build; _build({str(target)!r})"
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True)


def _build(target: str) -> None:
    """Compile in a process of its own, whose current folder is that of the sources."""
    from mypyc.build import mypycify
    from setuptools import Distribution  # type: ignore[import-untyped]

    with TemporaryDirectory() as work:
        config = Path(work, "mypy.ini")
        config.write_text(_TYPES, "utf-8")
        made = mypycify(
            [f"--config-file={config}", f"--cache-dir={work}/cache", *MODULES],
            opt_level="1",  # half the time of a compilation; higher levels save 2 % of a request
            debug_level="0",
            group_name=GROUP,
            target_dir=work,
        )
        command = Distribution({"ext_modules": made}).get_command_obj("build_ext")
        command.build_temp, command.build_lib = work, target
        command.ensure_finalized()
        command.run()


def stale_modules(root: Path = ROOT) -> list[Path]:
    """Return the extension modules that are older than their source."""
    return [
        made
        for made, source in zip(extensions(root)[1:], MODULES, strict=True)
        if made.exists() and made.stat().st_mtime < (root / source).stat().st_mtime
    ]


def is_compiled(root: Path = ROOT) -> bool:
    """Return True if all modules of the sources in `root` are compiled as they are now."""
    return all(made.exists() for made in extensions(root)) and not stale_modules(root)


def main(arguments: list[str]) -> None:
    """Compile in place, remove what was compiled, or exit with 1 if there is no compiler."""
    if "--possible" in arguments:
        sys.exit(not has_compiler())
    for made in Path(ROOT, "mockbroker").rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
        made.unlink()
    if "--remove" in arguments:
        return
    try:
        compile_modules(ROOT, ROOT)
    except subprocess.CalledProcessError as failure:
        sys.exit(failure.returncode)  # mypyc or the compiler has said why


if __name__ == "__main__":
    main(sys.argv[1:])

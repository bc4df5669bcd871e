"""The bench's Go programs: built into the cache on first use."""

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from bench.errors import CannotMeasureError

ROOT: Final = Path(__file__).resolve().parent.parent
_BUILD_TIMEOUT_S: Final = 300


@cache
def build(name: str) -> Path:
    """Return the program built from bench/NAME; Go's own cache makes a rebuild cheap.

    Raises: CannotMeasureError when there is no Go, or the program does not build.
    """
    go = shutil.which("go")
    if go is None:
        raise CannotMeasureError(f"{name} needs the Go toolchain, which is not installed")
    program = ROOT / ".cache" / "bench" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [go, "build", "-buildvcs=false", "-o", str(program), "."]
    source = ROOT / "bench" / name
    try:
        ran = subprocess.run(
            command,
            cwd=source,
            capture_output=True,
            text=True,
            timeout=_BUILD_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotMeasureError(f"building {name} took over {_BUILD_TIMEOUT_S} s") from None
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines() or ["no output"]
        raise CannotMeasureError(f"{name} does not build here: {lines[-1]}")
    return program

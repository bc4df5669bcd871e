"""Client programs in other languages: built once per version of their sources, cached, and run."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

CLIENTS_FOLDER: Final = Path(__file__).resolve().parents[1]

_CACHE: Final = CLIENTS_FOLDER.parents[1] / ".cache" / "clients"
_BUILD_TIMEOUT_S: Final = 600.0
_RUN_TIMEOUT_S: Final = 100.0


def built(name: str, sources: Iterable[Path], build: Callable[[Path], None]) -> Path:
    """Return the folder that `build` filled from these sources, now or in an earlier run."""
    state = hashlib.sha256()
    for source in sorted(sources):
        state.update(f"{source.name}\0".encode() + source.read_bytes())
    folder = _CACHE / f"{name}-{state.hexdigest()[:12]}"
    with _locked(_CACHE / f"{name}.lock"):
        if not folder.exists():
            scratch = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=_CACHE))
            try:
                build(scratch)
                scratch.rename(folder)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    return folder


def build_step(command: Sequence[str | Path], *, folder: Path | None = None) -> None:
    """Run one command of a build."""
    _run(command, timeout_s=_BUILD_TIMEOUT_S, folder=folder)


def output_of(command: Sequence[str | Path], *, standard_input: str = "") -> str:
    """Return what the program prints.

    Raises: AssertionError with what it wrote to stderr, when it fails.
    """
    return _run(command, timeout_s=_RUN_TIMEOUT_S, standard_input=standard_input)


def _run(
    command: Sequence[str | Path],
    *,
    timeout_s: float,
    folder: Path | None = None,
    standard_input: str = "",
) -> str:
    done = subprocess.run(
        command,
        input=standard_input,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout_s,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, (
        f"{command[0]} ended with {done.returncode}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    )
    return done.stdout


@contextmanager
def _locked(path: Path) -> Generator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

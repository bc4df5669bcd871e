"""kcat with its librdkafka, from Debian's packages, which are fetched and not installed."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.clients.support.programs import build_step, built

_PACKAGE: Final = "kcat"
_RUN_TIMEOUT_S: Final = 60.0


def run_kcat(*arguments: str, stdin: str = "") -> str:
    """Return what kcat prints.

    Raises: AssertionError with what it wrote to stderr, when it fails.
    """
    command, libraries = _kcat()
    done = subprocess.run(
        [command, *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=_RUN_TIMEOUT_S,
        check=False,
        env={**os.environ, "LD_LIBRARY_PATH": libraries},
    )
    assert done.returncode == 0, f"kcat {arguments} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def _kcat() -> tuple[str, str]:
    """Return the program, and where its libraries are: those of the machine, when it has them."""
    if found := shutil.which(_PACKAGE):
        return found, os.environ.get("LD_LIBRARY_PATH", "")
    folder = built("kcat", [Path(__file__)], _unpack)
    libraries = {str(library.parent) for library in folder.glob("usr/lib/**/*.so*")}
    return str(folder / "usr" / "bin" / _PACKAGE), ":".join(sorted(libraries))


def _unpack(folder: Path) -> None:
    """Fetch the package and those that it needs and this machine lacks; nobody has to be root."""
    downloads = folder / "apt"
    for part in ("lists", "archives"):
        (downloads / part / "partial").mkdir(parents=True)
    apt_get = [
        *("apt-get", "--quiet", "--yes"),
        *("-o", "Debug::NoLocking=1"),
        *("-o", f"Dir::State::lists={downloads / 'lists'}"),
        *("-o", f"Dir::Cache={downloads}"),
        *("-o", f"Dir::Cache::archives={downloads / 'archives'}"),
        *("-o", "APT::Sandbox::User="),
    ]
    build_step([*apt_get, "update"])
    build_step([*apt_get, "install", "--download-only", "--no-install-recommends", _PACKAGE])
    for package in sorted((downloads / "archives").glob("*.deb")):
        build_step(["dpkg-deb", "--extract", package, folder])
    shutil.rmtree(downloads)
    assert (folder / "usr" / "bin" / _PACKAGE).exists(), f"no {_PACKAGE} in {folder}"

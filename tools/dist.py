"""Build the distributions, and try each in an empty environment with the first test of the README.

    python -m tools.dist [--folder dist] [--python 3.12 ...]

Made are the sdist, a wheel without native code, and a compiled wheel for each Python of 3.11 to
3.14 that is installed on this machine and has a C compiler. Wheels are built from the sdist, as pip
builds them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tools.compilation import MODULES, has_compiler

ROOT: Final = Path(__file__).resolve().parent.parent
VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
PURE: Final = "MOCKBROKER_PURE"
"""Variable with which hatch_build.py compiles nothing."""
_NEEDED: Final = ("pytest", "confluent-kafka")
"""What the README installs beside mockbroker."""
_BLOCK: Final = re.compile(
    r"^## A first test\n.*?^```python\n(?P<test>.*?)^```", re.MULTILINE | re.DOTALL
)
_IS_NATIVE: Final = (
    "import importlib.machinery as m, {0} as n;"
    " print(n.__file__.endswith(tuple(m.EXTENSION_SUFFIXES)))"
)


class Python(NamedTuple):
    """An interpreter of this machine."""

    version: str
    """`3.12`."""
    path: Path


class TrialError(Exception):
    """A distribution does not work where it is installed."""


def pythons(versions: Sequence[str]) -> Iterator[Python]:
    """Yield one interpreter of each version that is installed: this one, on the PATH, of pyenv."""
    for version in versions:
        for path in _candidates(version):
            said = subprocess.run(
                [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if said.stdout.strip() == version:
                yield Python(version, path)
                break


def _candidates(version: str) -> Iterator[Path]:
    yield Path(sys.executable)
    on_the_path = shutil.which(f"python{version}")
    if on_the_path is not None:
        yield Path(on_the_path)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted((root / "versions").glob(f"{version}.*/bin/python"))


def first_test(readme: str) -> str:
    """Return the program of the section "A first test"."""
    found = _BLOCK.search(readme)
    assert found is not None, "the README has a first test"
    return found["test"]


def _test_of_readme() -> str:
    return first_test((ROOT / "README.md").read_text("utf-8"))


def build(folder: Path, available: Sequence[Python]) -> Iterator[tuple[Path, Python]]:
    """Build everything into a folder; yield each distribution with a Python to try it with."""
    shutil.rmtree(folder, ignore_errors=True)
    newest = available[-1]
    sdist = _built(folder, "--sdist", ROOT, newest, is_pure=True)
    yield sdist, newest
    yield _built(folder, "--wheel", sdist, newest, is_pure=True), newest
    for python in available if has_compiler() else ():
        yield _built(folder, "--wheel", sdist, python, is_pure=False), python


def _built(folder: Path, kind: str, source: Path, python: Python, *, is_pure: bool) -> Path:
    before = set(folder.glob("mockbroker-*"))
    place: list[str | Path] = ["--python", python.path, "-o", folder]
    command = [_uv(), "build", "--quiet", kind, source, *place]
    subprocess.run(command, check=True, env=os.environ | {PURE: "1" if is_pure else ""})
    (made,) = set(folder.glob("mockbroker-*")) - before
    return made


def try_out(distribution: Path, python: Python) -> None:
    """Install a distribution into an empty environment, and run the first test of the README.

    Raises:
        TrialError: the test fails there, or a compiled wheel runs as Python.

    """
    with TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        there = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.run([_uv(), "venv", "-q", "--python", python.path, environment], check=True)
        wanted = [f"mockbroker[fast] @ {distribution.resolve().as_uri()}", *_NEEDED]
        subprocess.run([_uv(), "pip", "install", "-q", "--python", there, *wanted], check=True)
        test = Path(folder, "test_first.py")
        test.write_text(_test_of_readme(), "utf-8")
        _run([there, "-m", "pytest", "-q", "-p", "no:cacheprovider", test], Path(folder))
        module = MODULES[0].removesuffix(".py").replace("/", ".")
        native = _run([there, "-c", _IS_NATIVE.format(module)], Path(folder)).strip()
    is_compiled = distribution.suffix == ".whl" and "-none-any" not in distribution.name
    if is_compiled and native != "True":
        raise TrialError(f"{distribution.name} has no native code for {module}")


def _run(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TrialError(done.stdout + done.stderr)
    return done.stdout


def _uv() -> str:
    found = shutil.which(
        "uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        sys.exit("uv is missing: make dist installs it")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, try, and list what was made."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", choices=VERSIONS, help="only these")
    parser.add_argument(
        "--print-first-test", action="store_true", help="only print the first test of the README"
    )
    options = parser.parse_args(arguments)
    if options.print_first_test:
        print(_test_of_readme())
        return
    wanted = options.python or VERSIONS
    available = list(pythons(wanted))
    if not available:
        sys.exit(f"none of Python {', '.join(wanted)} is installed")
    for version in set(wanted) - {python.version for python in available}:
        print(f"Python {version} is not installed: no wheel for it", flush=True)
    for distribution, python in build(options.folder, available):
        size_kb = distribution.stat().st_size // 1000
        print(f"{distribution.name} ({size_kb} kB): ", end="", flush=True)
        try:
            try_out(distribution, python)
        except TrialError as error:
            sys.exit(f"it does not work with Python {python.version}\n{error}")
        print(f"passes the first test of the README with Python {python.version}", flush=True)


if __name__ == "__main__":
    main()

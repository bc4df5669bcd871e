"""Name the Python for the environment: the first on the PATH, unless another is clearly faster.

    python3 tools/fastest_python.py

A Python built without its compiler's profile (as pyenv builds it, if not told otherwise) takes up
to half as long again for the same work, and often a better one is installed beside it. The Makefile
asks this before there is an environment, with whichever Python it finds: so it needs nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

NAMES: Final = ("python3", "python3.14", "python3.13", "python3.12", "python3.11", "python")
ROUNDS: Final = 7
"""The best of several, taken in turns: a shared processor is at times slower by half."""

CLEARLY_FASTER: Final = 0.87
"""Of the first one's time: what is gained must be worth the surprise."""

PROBE: Final = """
import ensurepip, os, sys, time, venv
class Entry:
    def __init__(self, offset):
        self.offset = offset
    def later(self, by):
        return self.offset + by.get("records", 1)
def measure():
    begin = time.perf_counter()
    for offset in range(5_000):
        Entry(offset).later({"records": 2})
    return time.perf_counter() - begin
if sys.version_info >= (3, 11):
    print(min(measure() for each in range(10)), os.path.realpath(sys.executable))
"""


def candidates(path: str) -> list[str]:
    """Return the Pythons in the folders of `path`: of each name all, as a shell finds them."""
    folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
    found = [folder / name for name in NAMES for folder in folders]
    return [str(each) for each in found if os.access(each, os.X_OK)]


def probed(executable: str) -> tuple[str, float] | None:
    """Return where a Python really is and the seconds that it takes for some work.

    None, if it is too old or cannot make an environment.
    """
    asked = subprocess.run([executable, "-c", PROBE], capture_output=True, text=True, check=False)
    seconds, _, real = asked.stdout.strip().partition(" ")
    return (real, float(seconds)) if real else None


def measured(executables: list[str]) -> dict[str, float]:
    """Return the seconds by path of each different Python, by its first name, in order."""
    known: set[str] = set()
    best: dict[str, float] = {}
    for each in executables:
        probe = probed(each)
        if probe and probe[0] not in known:
            known.add(probe[0])
            best[each] = probe[1]
    for _ in range(ROUNDS - 1 if len(best) > 1 else 0):
        for each, seconds in best.items():
            if probe := probed(each):
                best[each] = min(seconds, probe[1])
    return best


def chosen(seconds: dict[str, float]) -> str:
    """Return the first path, or the fastest one's if clearly faster; or an empty text."""
    if not seconds:
        return ""
    first = next(iter(seconds))
    fastest = min(seconds, key=seconds.__getitem__)
    return fastest if seconds[fastest] < seconds[first] * CLEARLY_FASTER else first


if __name__ == "__main__":
    sys.stdout.write(chosen(measured(candidates(os.environ.get("PATH", "")))))

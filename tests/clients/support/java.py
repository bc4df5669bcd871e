"""Java: jars by Maven from a pinned pom, the shared sources compiled against them, and a JVM."""

from pathlib import Path
from typing import Final

from tests.clients.support.programs import (
    CLIENTS_FOLDER,
    build_step,
    built,
    output_of,
)

_FOLDER: Final = CLIENTS_FOLDER / "java"
# a JVM that lives for seconds: quick to start, and one thread for each of two cores is enough
_JVM_OPTIONS: Final = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Xmx512M",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
)


def jars(name: str) -> Path:
    """Return the folder with the jars that `tests/clients/java/<name>/pom.xml` lists."""
    pom = _FOLDER / name / "pom.xml"

    def copy_dependencies(folder: Path) -> None:
        build_step(
            [
                "mvn",
                "--batch-mode",
                "--quiet",
                f"--file={pom}",
                "dependency:copy-dependencies",
                "-DincludeScope=runtime",
                f"-DoutputDirectory={folder}",
            ]
        )

    return built(f"jars-{name}", [pom], copy_dependencies)


def programs(name: str) -> list[Path]:
    """Return the class path of the Java programs for these jars; the clients share some."""
    libraries = jars(name)
    sources = sorted((_FOLDER / name).glob("*.java"))
    if name.startswith("clients-"):
        sources += sorted(_FOLDER.glob("*.java"))

    def compile_sources(folder: Path) -> None:
        build_step(
            ["javac", "-Xlint:all", "-Werror", "-cp", f"{libraries}/*", "-d", folder, *sources]
        )

    classes = built(f"programs-{name}", [_FOLDER / name / "pom.xml", *sources], compile_sources)
    return [classes, libraries / "*"]


def run_java(class_path: list[Path], main_class: str, *arguments: str, stdin: str = "") -> str:
    """Return what the class prints."""
    return output_of(java_command(class_path, main_class, *arguments), standard_input=stdin)


def java_command(class_path: list[Path], main_class: str, *arguments: str) -> list[str]:
    """Return the command that runs the class."""
    return ["java", *_JVM_OPTIONS, "-cp", ":".join(map(str, class_path)), main_class, *arguments]

"""Java: jars by Maven from a pinned pom, the shared sources compiled against them, and a JVM."""

from collections.abc import Sequence
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


def jars(name: str, project: Path | None = None) -> Path:
    """Return the folder with the jars that a project's pom lists: `tests/clients/java/<name>`."""
    pom = (project or _FOLDER / name) / "pom.xml"

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

    classes = built(
        f"programs-{name}",
        [_FOLDER / name / "pom.xml", *sources],
        lambda folder: compile_java(sources, libraries, folder),
    )
    return [classes, libraries / "*"]


def compile_java(sources: Sequence[Path], libraries: Path, folder: Path) -> None:
    """Compile sources against a folder of jars; a warning is an error."""
    options = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-Xlint:all", "-Werror")
    build_step(["javac", *options, "-cp", f"{libraries}/*", "-d", folder, *sources])


def run_java(class_path: list[Path], main_class: str, *arguments: str, stdin: str = "") -> str:
    """Return what the class prints."""
    return output_of(java_command(class_path, main_class, *arguments), standard_input=stdin)


def java_command(class_path: list[Path], main_class: str, *arguments: str) -> list[str]:
    """Return the command that runs the class."""
    return ["java", *_JVM_OPTIONS, "-cp", ":".join(map(str, class_path)), main_class, *arguments]

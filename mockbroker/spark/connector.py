"""Jars of Spark's Kafka connector: their names, their location, and their download."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from mockbroker.errors import install_hint
from mockbroker.spark.cache_folder import cache_folder, filled_folder
from mockbroker.spark.unavailable import SparkUnavailableError

JARS_VARIABLE: Final = "MOCKBROKER_SPARK_JARS"
"""Variable with a folder that has the jars."""
TESTED: Final = "4.0.0"
"""Release of PySpark that the extra `spark` installs and that is tested."""
POM: Final = Path(__file__).with_name("jars.pom.xml")

_CONNECTOR: Final = "spark-sql-kafka-0-10_2.13"
_PATIENCE_S: Final = 600.0
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_CONNECTOR_VERSION: Final = re.compile(rf"{re.escape(_CONNECTOR)}-(.+)\.jar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions:
    """Libraries with which the connector of a Spark release is built."""

    kafka_clients: str
    commons_pool: str


COMPANIONS: Final[Mapping[str, Companions]] = {
    "4.0.0": Companions(kafka_clients="3.9.0", commons_pool="2.12.0"),
    "4.2.0": Companions(kafka_clients="3.9.2", commons_pool="2.13.1"),
}
"""Libraries by Spark release; the first release is the tested one."""


def pyspark_version() -> str:
    """Return the installed release of PySpark.

    Raises:
        SparkUnavailableError: it is not installed.

    """
    try:
        return version("pyspark")
    except PackageNotFoundError:
        raise SparkUnavailableError(f"pyspark is not installed: {install_hint('spark')}") from None


def package(spark: str) -> str:
    """Return the connector's name for `--packages` and `spark.jars.packages`."""
    return f"org.apache.spark:{_CONNECTOR}:{spark}"


def connector_jars(spark: str, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the jars for a release of Spark; Maven fetches them if they are missing.

    Raises:
        SparkUnavailableError: they are missing and cannot be fetched; the text has the reason.

    """
    if given := environment.get(JARS_VARIABLE):
        return _given_jars(Path(given), spark)
    companions = COMPANIONS.get(spark)
    if companions is None:
        raise SparkUnavailableError(
            f"the Kafka connector of Spark {spark} is unknown; known releases are "
            f"{', '.join(COMPANIONS)}: install pyspark=={TESTED}, set {JARS_VARIABLE} to a folder "
            f"with its jars, or start Spark with --packages {package(spark)}"
        )

    def fetch(folder: Path) -> None:
        _copy_by_maven(folder, spark, companions, environment)

    return sorted(filled_folder(_folder(spark, environment), fetch).glob("*.jar"))


def cached_jars(spark: str, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the cached jars; empty if they would have to be fetched."""
    given = environment.get(JARS_VARIABLE)
    return sorted((Path(given) if given else _folder(spark, environment)).glob("*.jar"))


def version_of(jars: list[Path]) -> str:
    """Return the version of the connector among these jars; empty without one."""
    versions = [reasons[1] for jar in jars if (reasons := _CONNECTOR_VERSION.fullmatch(jar.name))]
    return versions[0] if versions else ""


def _folder(spark: str, environment: Mapping[str, str]) -> Path:
    state = hashlib.sha256(POM.read_bytes()).hexdigest()[:8]
    return cache_folder(environment) / "spark-jars" / f"{spark}-{state}"


def _given_jars(folder: Path, spark: str) -> list[Path]:
    jars = sorted(folder.glob("*.jar"))
    found = version_of(jars)
    if not found:
        raise SparkUnavailableError(f"{JARS_VARIABLE}={folder} has no {_CONNECTOR}-{spark}.jar")
    if found != spark:
        raise SparkUnavailableError(
            f"{JARS_VARIABLE}={folder} has the connector of Spark {found}, and pyspark is {spark}"
        )
    return jars


def _copy_by_maven(
    folder: Path, spark: str, companions: Companions, environment: Mapping[str, str]
) -> None:
    maven = shutil.which("mvn", path=environment.get("PATH", ""))
    otherwise = (
        f"set {JARS_VARIABLE} to a folder with its jars, or start Spark with "
        f"--packages {package(spark)}"
    )
    if maven is None:
        raise SparkUnavailableError(
            f"the Kafka connector of Spark {spark} is not here, and Maven (mvn), which would "
            f"fetch it, is not on the PATH: install Maven, {otherwise}"
        )
    command = [
        *(maven, "--batch-mode", "--quiet", "-U", f"--file={POM}", "dependency:copy-dependencies"),
        *("-DincludeScope=runtime", f"-DoutputDirectory={folder}"),
        f"-Dspark.version={spark}",
        f"-Dkafka.version={companions.kafka_clients}",
        f"-Dcommons-pool2.version={companions.commons_pool}",
    ]
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_S,
            env=dict(environment),
        )
    except subprocess.TimeoutExpired:
        raise SparkUnavailableError(
            f"Maven did not get the Kafka connector of Spark {spark} in {_PATIENCE_S:.0f} s: "
            f"{otherwise}"
        ) from None
    if ran.returncode:
        raise SparkUnavailableError(
            f"Maven did not get the Kafka connector of Spark {spark}: "
            f"{_first_error(ran.stdout + ran.stderr)}. Look at the network and Maven's settings, "
            f"{otherwise}"
        )


def _first_error(output: str) -> str:
    """Return Maven's first error, without its decoration."""
    lines = [_COLOURS.sub("", line).strip() for line in output.splitlines()]
    errors = [line.removeprefix("[ERROR]") for line in lines if line.startswith("[ERROR]")]
    reasons = [line.partition(" -> ")[0].strip().rstrip(".") for line in errors or lines]
    return next(filter(None, reasons), "no reason given")

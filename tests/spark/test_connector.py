"""The jars of Spark's Kafka connector."""

import re
import shutil
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from mockbroker.errors import install_hint
from mockbroker.spark import connector
from mockbroker.spark.connector import (
    COMPANIONS,
    JARS_VARIABLE,
    POM,
    TESTED,
    cached_jars,
    connector_jars,
    version_of,
)
from mockbroker.spark.unavailable import SparkUnavailableError
from tests.tidy.repository import ROOT

NAME = "spark-sql-kafka-0-10_2.13"
FAKE_MAVEN = """\
#!/bin/sh
for argument do
  case "$argument" in
    -DoutputDirectory=*) folder="${{argument#*=}}" ;;
    -Dspark.version=*) spark="${{argument#*=}}" ;;
  esac
  echo "$argument" >> {log}
done
{then}
"""


def fake_maven(folder: Path, then: str) -> dict[str, str]:
    """Return an environment in which Maven is this script, and the cache is empty."""
    maven = folder / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(FAKE_MAVEN.format(log=folder / "log", then=then))
    maven.chmod(0o755)
    return {"PATH": str(maven.parent), "XDG_CACHE_HOME": str(folder / "caches")}


def given(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        (folder / name).touch()
    return {JARS_VARIABLE: str(folder), "PATH": ""}


def test_a_ready_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    environment = given(tmp_path, f"{NAME}-4.0.0.jar", "kafka-clients-3.9.0.jar", "README")
    jars = connector_jars("4.0.0", environment)
    assert [jar.name for jar in jars] == ["kafka-clients-3.9.0.jar", f"{NAME}-4.0.0.jar"]
    assert cached_jars("4.0.0", environment) == jars


def test_a_folder_for_another_release_is_refused(tmp_path: Path) -> None:
    environment = given(tmp_path, f"{NAME}-3.5.1.jar")
    with pytest.raises(SparkUnavailableError, match=r"connector of Spark 3\.5\.1, and pyspark is"):
        connector_jars("4.0.0", environment)


def test_a_folder_without_the_connector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SparkUnavailableError, match=r"has no spark-sql-kafka-0-10_2\.13-4\.0\.0"):
        connector_jars("4.0.0", given(tmp_path, "kafka-clients-3.9.0.jar"))


def test_maven_fetches_once(tmp_path: Path) -> None:
    environment = fake_maven(tmp_path, f': > "$folder/{NAME}-$spark.jar"')
    assert cached_jars("4.2.0", environment) == []
    jars = connector_jars("4.2.0", environment)
    assert version_of(jars) == "4.2.0"
    assert connector_jars("4.2.0", environment) == cached_jars("4.2.0", environment) == jars
    said = (tmp_path / "log").read_text().splitlines()
    assert said.count("dependency:copy-dependencies") == 1
    assert "-Dkafka.version=3.9.2" in said


def test_without_maven_the_ways_out_are_named(tmp_path: Path) -> None:
    with pytest.raises(SparkUnavailableError) as refused:
        connector_jars("4.0.0", {"PATH": "", "XDG_CACHE_HOME": str(tmp_path)})
    for way in ("install Maven", JARS_VARIABLE, f"--packages org.apache.spark:{NAME}:4.0.0"):
        assert way in str(refused.value)


def test_mavens_error_is_reported_and_nothing_is_cached(tmp_path: Path) -> None:
    complaint = "\x1b[m[ERROR] Could not transfer artifact: Unknown host -> [Help 1]"
    environment = fake_maven(tmp_path, f"echo 'noise'; echo '{complaint}'; exit 1")
    with pytest.raises(SparkUnavailableError, match=r"4\.0\.0: Could not transfer .* host\. Look"):
        connector_jars("4.0.0", environment)
    assert cached_jars("4.0.0", environment) == []


def test_a_release_that_is_not_known_is_refused_before_maven_runs(tmp_path: Path) -> None:
    environment = fake_maven(tmp_path, "exit 0")
    with pytest.raises(SparkUnavailableError, match=r"Spark 9\.9 is unknown.* 4\.0\.0, 4\.2\.0"):
        connector_jars("9.9", environment)
    assert not (tmp_path / "log").exists()


def test_without_pyspark_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(connector, "version", missing)
    with pytest.raises(SparkUnavailableError, match=re.escape(install_hint("spark"))):
        connector.pyspark_version()


def test_the_tested_pair_is_the_one_that_is_installed_and_in_the_pom() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (pyspark,) = (
        requirement
        for line in project["optional-dependencies"]["spark"]
        if (requirement := Requirement(line)).name == "pyspark"
    )
    assert str(pyspark.specifier) == f"=={TESTED}"
    assert next(iter(COMPANIONS)) == TESTED
    pom = POM.read_text("utf-8")
    told = dict(re.findall(r"<([\w.-]+\.version)>([\d.]+)</", pom))
    assert told == {
        "spark.version": TESTED,
        "kafka.version": COMPANIONS[TESTED].kafka_clients,
        "commons-pool2.version": COMPANIONS[TESTED].commons_pool,
    }


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mvn") is None, reason="mvn is not on the PATH")
def test_maven_brings_four_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(JARS_VARIABLE, raising=False)
    assert [jar.name for jar in connector_jars(TESTED)] == [
        "commons-pool2-2.12.0.jar",
        "kafka-clients-3.9.0.jar",
        f"{NAME}-4.0.0.jar",
        "spark-token-provider-kafka-0-10_2.13-4.0.0.jar",
    ]

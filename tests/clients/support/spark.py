"""PySpark with its Kafka source and sink: one session, which is slow to start and never stopped."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.clients.support.java import jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VERSION: Final = "4.0.0"
_JVM_OPTIONS: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def spark_session(work_folder: Path) -> "SparkSession":
    """Start a small local session that knows the connector's jars."""
    from pyspark.sql import SparkSession

    connector = sorted(jars(f"spark-{_VERSION}").glob("*.jar"))
    # before the JVM starts: workers run this very Python, and nothing leaves the loopback
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    configs = {
        "spark.jars": ",".join(map(str, connector)),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"{_JVM_OPTIONS} -Dderby.system.home={work_folder}",
        "spark.local.dir": str(work_folder),
        "spark.sql.warehouse.dir": str(work_folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("mockbroker-tests")
    for name, value in configs.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session

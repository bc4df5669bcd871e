"""Spark clusters from the JVM classes of PySpark: a standalone cluster, and a Connect server.

Executors run a Python that has PySpark and Arrow, but not this repository: what a job gives them is
all that they know of it.
"""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mockbroker.spark.local_session import LIGHT, LOOPBACK
from tools.processes import await_ready, spawn, stop_processes

WORKERS: Final = 2
JVM: Final = LIGHT["spark.driver.extraJavaOptions"]
SETTINGS: Final = (
    ("spark.driver.host", LOOPBACK),
    ("spark.driver.bindAddress", LOOPBACK),
    ("spark.driver.memory", "1g"),
    ("spark.driver.extraJavaOptions", JVM),
    ("spark.executor.memory", "512m"),
    ("spark.executor.extraJavaOptions", JVM),
    ("spark.sql.shuffle.partitions", "2"),
    ("spark.ui.enabled", "false"),
)
"""Configuration of small drivers and executors."""
_PATIENCE_S: Final = 120.0
_MASTER_CLASS: Final = "org.apache.spark.deploy.master.Master"
_WORKER_CLASS: Final = "org.apache.spark.deploy.worker.Worker"
_CONNECT_CLASS: Final = "org.apache.spark.sql.connect.service.SparkConnectServer"
_MASTER: Final = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED: Final = re.compile(r"Successfully registered with master (\S+)")
_CONNECT: Final = re.compile(r"Spark Connect server started at: (\S+)")


class SparkInstallation:
    """PySpark's JVM programs, with files in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        self._home: Final = folder / "spark"
        self._home.mkdir()
        for entry in Path(spec.origin).parent.iterdir():
            (self._home / entry.name).symlink_to(entry)
        self._python: Final = folder / "python"
        packages = sysconfig.get_path("purelib")
        # Without `site`, the editable installation of this repository is not found.
        self._python.write_text(
            f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {sys.executable} -S "$@"\n'
        )
        self._python.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """Return the variables of Spark's programs."""
        java = {name: value for name, value in os.environ.items() if name == "JAVA_HOME"}
        return {
            **java,
            "PATH": os.environ["PATH"],
            "PYSPARK_PYTHON": str(self._python),
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_DAEMON_MEMORY": "768m",
            "SPARK_DAEMON_JAVA_OPTS": JVM,
        }

    def submission(self, master: str, *words: str) -> list[str]:
        """Return the command line of `spark-submit`."""
        settings = [f"--conf={name}={value}" for name, value in SETTINGS]
        return [str(self._home / "bin" / "spark-submit"), f"--master={master}", *settings, *words]

    def executors(self) -> int:
        """Return the number of executors that the standalone cluster started."""
        return len(list(self.folder.glob("work/app-*/[0-9]*")))

    @contextmanager
    def standalone_cluster(self) -> Generator[str]:
        """Start a master and its workers, and yield the master's URL."""
        run = str(self._home / "bin" / "spark-class")
        usual = ("--host", LOOPBACK, "--port", "0", "--webui-port", "0")
        with ExitStack() as stack:
            master = _Program(self, "master", [run, _MASTER_CLASS, *usual])
            stack.callback(master.stop)
            url = master.said(_MASTER)
            limits = ("--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / "work"))
            workers = [
                _Program(self, f"worker-{number}", [run, _WORKER_CLASS, *usual, *limits, url])
                for number in range(WORKERS)
            ]
            for worker in workers:
                stack.callback(worker.stop)
            for worker in workers:
                worker.said(_REGISTERED)
            yield url

    @contextmanager
    def connect_server(self, master: str) -> Generator[str]:
        """Start a Connect server whose jobs run on `master`, and yield its URL."""
        words = [
            f"--class={_CONNECT_CLASS}",
            "--conf=spark.connect.grpc.binding.port=0",
            f"--conf=spark.connect.grpc.binding.address={LOOPBACK}",
            "spark-internal",
        ]
        server = _Program(self, "connect", self.submission(master, *words))
        try:
            yield f"sc://{server.said(_CONNECT)}"
        finally:
            server.stop()


class _Program:
    """A running program of an installation."""

    def __init__(self, installation: SparkInstallation, name: str, command: Sequence[str]) -> None:
        variables = [f"{key}={value}" for key, value in installation.environment().items()]
        self._folder: Final = installation.folder / name
        self._folder.mkdir()
        self._process: Final = spawn(self._folder, ["env", *variables, *command])

    def said(self, pattern: re.Pattern[str]) -> str:
        """Wait for a line in the program's log, and return its group."""
        log = self._folder / "log"
        found: list[str] = []

        def is_there() -> bool:
            found.extend(pattern.findall(log.read_text("utf-8")))
            return bool(found)

        await_ready(is_there, [self._process], _PATIENCE_S, self._folder.parent)
        return found[0]

    def stop(self) -> None:
        """Stop the program."""
        stop_processes([self._process])


def ran(
    command: Sequence[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

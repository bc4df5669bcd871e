"""What every client's test file gets: a running cluster and a topic name of its own.

With MOCKBROKER_TEST_BOOTSTRAP=host:port[,host:port...] the same tests run against that cluster
instead, for example a real Kafka: what fails there is a mistake of the test, not of mockbroker.
"""

import os
import re
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.clients.support.broker_process import broker_process
from tests.clients.support.spark import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def bootstrap_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bootstrap servers of three brokers."""
    if running := os.environ.get("MOCKBROKER_TEST_BOOTSTRAP"):
        yield running
        return
    with broker_process(tmp_path_factory.mktemp("mockbroker"), ["--brokers", "3"]) as started:
        yield started


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """The name of a topic that no other test uses, and no earlier run on the same cluster."""
    client = request.path.stem.removeprefix("test_")
    _, _, parameters = request.node.name.rstrip("]").partition("[")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{client}-{parameters}")
    return f"{name}-{secrets.token_hex(4)}"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "SparkSession":
    """The one Spark session of the run; it ends with the process."""
    return spark_session(tmp_path_factory.mktemp("spark"))

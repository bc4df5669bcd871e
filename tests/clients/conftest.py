"""Fixtures of all clients' tests: running clusters, and a topic name per test.

With MOCKBROKER_TEST_BOOTSTRAP=host:port[,host:port...] the same tests run against that cluster
instead, for example a real Kafka: what fails there is a mistake of the test, not of mockbroker.
MOCKBROKER_TEST_BOOTSTRAP_3_9 does so for the tests on brokers of that release, and so on.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from tests.clients.support.broker_process import broker_process
from tests.clients.support.command_line_tools import Tools, running_tools

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.register_assert_rewrite(
    "tests.clients.support.group_scenarios",
    "tests.clients.support.matrix_scenarios",
    "tests.clients.support.transaction_scenarios",
)

NEWEST_RELEASE: Final = "4.4"
QUICK_TIMEOUTS: Final = "transaction.abort.timed.out.transaction.cleanup.interval.ms=100"
VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    "4.4-soon": (
        "--kafka",
        "4.4",
        *(
            option
            for config in (
                "group.consumer.min.heartbeat.interval.ms=100",
                "group.consumer.heartbeat.interval.ms=100",
                "group.consumer.assignment.interval.ms=0",
                "group.streams.min.heartbeat.interval.ms=500",
                "group.streams.heartbeat.interval.ms=500",
                "group.streams.initial.rebalance.delay.ms=0",
            )
            for option in ("--config", config)
        ),
    ),
    "4.4-unverified": (
        *("--kafka", "4.4", "--feature", "transaction.version=1"),
        *("--config", "transaction.partition.verification.enable=false"),
    ),
}
"""Brokers that are of a release, but not as it is by default.

Members of the newer groups of "4.4-soon" hear of changes sooner than after seconds.
"""


@pytest.fixture(scope="session")
def brokers_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Return the bootstrap servers of three brokers of a release such as "2.4", or of a variant."""
    with ExitStack() as running:

        @cache
        def brokers(release: str) -> str:
            variable = "MOCKBROKER_TEST_BOOTSTRAP"
            if release != NEWEST_RELEASE:
                variable += "_" + re.sub(r"\W", "_", release).upper()
            if elsewhere := os.environ.get(variable):
                return elsewhere
            folder = tmp_path_factory.mktemp(f"mockbroker-{release}")
            arguments = VARIANTS.get(release, ("--kafka", release))
            return running.enter_context(
                broker_process(folder, ["--brokers", "3", "--config", QUICK_TIMEOUTS, *arguments])
            )

        yield brokers


@pytest.fixture(scope="session")
def bootstrap_servers(brokers_of: Callable[[str], str]) -> str:
    """The bootstrap servers of three brokers of the newest release."""
    return brokers_of(NEWEST_RELEASE)


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """The name of a topic that no other test, and no earlier run on the same cluster, uses."""
    client = request.path.stem.removeprefix("test_")
    test, _, parameters = request.node.name.rstrip("]").partition("[")
    case = f"{client}-{test.removeprefix('test_')[:60]}-{parameters}"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", case)
    return f"{name}-{secrets.token_hex(4)}"


@pytest.fixture(scope="session")
def tools() -> Iterator[Tools]:
    """Kafka's command-line tools, in a JVM for the whole run."""
    with running_tools() as started:
        yield started


@pytest.fixture(scope="session")
def spark(mockbroker_spark: "SparkSession") -> "SparkSession":
    """The one Spark session of the run, which ends with the process."""
    return mockbroker_spark

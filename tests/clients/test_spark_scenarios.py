"""PySpark has the same results with mockbroker as with real Kafka: rows, offsets, errors.

`spark/golden` has the results with real Kafka; `python -m tests.clients.spark.record` measures them
again.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mockbroker import Cluster
from tests.clients.spark import recording
from tests.clients.spark.mock_stage import stage_of
from tests.clients.spark.scenarios import LOSSES, USES
from tests.clients.spark.stage import Stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of which nothing is said but that it should write down what it is asked."""
    with Cluster(journal=True) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def stage(
    spark: "SparkSession", cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Stage:
    return stage_of(spark, cluster, tmp_path_factory.mktemp("stage"))


def test_exactly_the_scenarios_are_recorded() -> None:
    assert recording.names() == sorted([*USES, *LOSSES])


@pytest.mark.parametrize("name", [*USES, *LOSSES])
def test_the_result_equals_the_recorded_one_of_real_kafka(stage: Stage, name: str) -> None:
    scenario = {**USES, **LOSSES}[name]
    played, recorded = stage.play(scenario), recording.read(name)
    assert played.outcome == recorded.outcome
    assert played.asked == recorded.asked

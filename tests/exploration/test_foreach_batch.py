"""Spark's recipe `foreachBatch`: its failure between commit and checkpoint is found.

`python -m tools.explored_clients --explore 4m --foreach-batch` explores it, and the repaired one.
"""

from typing import TYPE_CHECKING

import pytest

from mockbroker.exploration import Report, explore
from tests.support.explored.foreach_batch import TOPICS, ForeachBatch, RepairedForeachBatch

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

BETWEEN = "EndTxn 1*: the answer never comes"
BEFORE = "EndTxn 1*: another instance fences it"


def explored(recipe: ForeachBatch, *only: str) -> Report:
    return explore(recipe, topics=TOPICS, same_topics=["bills"], only=only, repeats=0)


def test_a_batch_that_failed_between_commit_and_checkpoint_is_written_twice(
    mockbroker_spark: "SparkSession",
) -> None:
    (failure,) = explored(ForeachBatch(mockbroker_spark), BETWEEN).failures
    assert failure.reasons == ("bills: 0 records missing, 2 records too many",)


def test_a_batch_whose_number_is_in_its_transaction_is_written_once(
    mockbroker_spark: "SparkSession",
) -> None:
    report = explored(RepairedForeachBatch(mockbroker_spark), BETWEEN, BEFORE)
    assert [each.kind for each in report.outcomes] == ["survived"] * 2

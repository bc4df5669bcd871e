"""Progress of Spark's jobs."""

from typing import TYPE_CHECKING
from unittest.mock import Mock

from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.spark_progress import tasks_done
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def test_without_running_stages_there_is_no_progress(mockbroker_spark: "SparkSession") -> None:
    assert tasks_done(CommandSession(mockbroker_spark, is_connect=False))() is None


def test_the_tasks_of_all_stages_are_added_up() -> None:
    spark = Mock()
    tracker = spark.sparkContext.statusTracker.return_value
    tracker.getActiveStageIds.return_value = [1, 2, 3]
    stages = {1: Mock(numTasks=4, numCompletedTasks=1), 2: Mock(numTasks=6, numCompletedTasks=2)}
    tracker.getStageInfo.side_effect = stages.get
    assert tasks_done(CommandSession(spark, is_connect=False))() == (3, 10)


def test_spark_connect_has_no_progress() -> None:
    assert tasks_done(CommandSession(Mock(spec=[]), is_connect=True))() is None

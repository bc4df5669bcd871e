"""The session of a command."""

from typing import TYPE_CHECKING

from mockbroker.spark.command_session import command_session
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def test_a_session_that_is_running_is_used(mockbroker_spark: "SparkSession") -> None:
    session = command_session("local[7]", "another name")
    assert session.spark is mockbroker_spark
    assert not session.is_connect

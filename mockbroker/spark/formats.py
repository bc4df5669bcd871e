"""The formats of this package in a Spark session.

They need pyspark.
"""

from typing import TYPE_CHECKING

from mockbroker.spark.batches.kafka_batches import KafkaBatches
from mockbroker.spark.sink.kafka_eos import KafkaEos

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: "SparkSession") -> None:
    """Register `kafka_batches` for reading and `kafka_eos` for writing, in batch and stream."""
    spark.dataSource.register(KafkaBatches)
    spark.dataSource.register(KafkaEos)

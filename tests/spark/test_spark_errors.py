"""One-line reasons from Spark's long error messages."""

import pytest

pytest.importorskip("pyspark", reason="its exceptions need the extra spark")

from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of

OF_JAVA = """An error occurred while calling o65.count.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error.  SQLSTATE: KD001
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(X.scala:856)
Caused by: java.lang.RuntimeException: file:/a/part-00001.parquet is not a Parquet file.
\t... 21 more
"""
OF_PYTHON = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/a/load_job.py", line 137, in _attempts
    attempt.run()
mockbroker.spark.load.load_producer.LoadProducerError: 1 of 1 records are not stored: INVALID_RECORD

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(P.scala:581)
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (OF_PYTHON, "LoadProducerError: 1 of 1 records are not stored: INVALID_RECORD"),
        (OF_JAVA, "file:/a/part-00001.parquet is not a Parquet file"),
        ("[PATH_NOT_FOUND] Path does not exist: file:/x. SQLSTATE: 42K03",
         "Path does not exist: file:/x"),
        ("An error occurred while calling o1.x.\n: java.io.IOException: no\n\tat a.b(C.java)",
         "java.io.IOException: no"),
        ("", "ValueError"),
    ],
)  # fmt: skip
def test_the_innermost_cause_is_returned(text: str, reason: str) -> None:
    assert reason_of(ValueError(text)) == reason


def test_a_long_reason_is_cut() -> None:
    assert len(reason_of(ValueError("x" * 1000))) == 300


def test_spark_exceptions_are_known() -> None:
    errors = pytest.importorskip("pyspark.errors")
    assert issubclass(errors.AnalysisException, SPARK_ERRORS)
    assert not issubclass(ValueError, SPARK_ERRORS)

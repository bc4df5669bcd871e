"""PySpark for tests against a cluster: a small session, its jars, batches, and audits.

Requires the extra `spark`. pyspark is imported by the first call that needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbroker.spark.batches.batch_headers import BatchRow
    from mockbroker.spark.batches.batch_plan import batch_rows
    from mockbroker.spark.format_errors import (
        KafkaBatchesError,
        KafkaEosError,
        kafka_batches_error,
        kafka_eos_error,
    )
    from mockbroker.spark.formats import register
    from mockbroker.spark.local_session import session
    from mockbroker.spark.session_audit import SparkAudit, audit
    from mockbroker.spark.topics.topics_in_process import audit_topics
    from mockbroker.spark.unavailable import SparkUnavailableError

__all__ = [
    "BatchRow",
    "KafkaBatchesError",
    "KafkaEosError",
    "SparkAudit",
    "SparkUnavailableError",
    "audit",
    "audit_topics",
    "batch_rows",
    "kafka_batches_error",
    "kafka_eos_error",
    "register",
    "session",
]

_HOMES = {
    "BatchRow": "mockbroker.spark.batches.batch_headers",
    "SparkAudit": "mockbroker.spark.session_audit",
    "audit": "mockbroker.spark.session_audit",
    "audit_topics": "mockbroker.spark.topics.topics_in_process",
    "batch_rows": "mockbroker.spark.batches.batch_plan",
    "KafkaBatchesError": "mockbroker.spark.format_errors",
    "kafka_batches_error": "mockbroker.spark.format_errors",
    "KafkaEosError": "mockbroker.spark.format_errors",
    "kafka_eos_error": "mockbroker.spark.format_errors",
    "register": "mockbroker.spark.formats",
    "SparkUnavailableError": "mockbroker.spark.unavailable",
    "session": "mockbroker.spark.local_session",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)

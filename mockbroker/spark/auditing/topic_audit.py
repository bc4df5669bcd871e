"""Audit of a cluster's topics, whose batches are read over Kafka's protocol.

Topics have the stored batches, but not the coordinators' logs and the responses to clients. The
rows have the journal's columns; `seq` is the first offset of the batch in its partition, plus 1.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions

from mockbroker.audit.verdict import merged
from mockbroker.journal.entry import Entry
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.judging import TASKS_MAX, Judged, judged, results_of
from mockbroker.spark.auditing.shard_tasks import RESULT, outlining
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.auditing.topic_policies import compacted_topics, compaction_notes
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.format_errors import kafka_batches_error
from mockbroker.spark.formats import register
from mockbroker.spark.journal.journal_rows import SPARK_TYPES, UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of
from mockbroker.spark.topics.history_order import HistoryOrder, history_order
from mockbroker.spark.topics.joined_history import without_order
from mockbroker.spark.topics.log_outline import GAP, OUTLINED, transactions_of
from mockbroker.spark.topics.transaction_evidence import TransactionEvidence, transaction_evidence

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SEQ: Final = "base_offset + 1"
_BEFORE: Final = "lag(last_offset) OVER (PARTITION BY partition ORDER BY base_offset) + 1"
_GAP: Final = f"base_offset > coalesce({_BEFORE}, log_start_offset)"
"""Whether records are missing before a batch."""
_COUNT: Final = "CAST(last_offset - base_offset + 1 AS int)"
"""Original record count: compaction removes records, but keeps the offsets."""
_SAID: Final = {
    "seq": _SEQ,
    "kind": "CASE WHEN marker IS NULL THEN 'append' ELSE 'marker' END",
    "wall_time_us": "max_timestamp_ms * 1000",
    "virtual_time_ms": "max_timestamp_ms",
    "record_count": f"CASE WHEN marker IS NULL THEN {_COUNT} END",
    "is_duplicate": "CASE WHEN marker IS NULL THEN false END",
    "log_end_offset": "last_offset + 1",
    "high_watermark": "CAST(NULL AS bigint)",
    "last_stable_offset": "CAST(NULL AS bigint)",
}
"""Journal columns that differ from the columns of `kafka_batches`, as expressions of these."""
_SAME: Final = frozenset(
    {
        *("topic", "partition", "leader_epoch", "producer_id", "producer_epoch", "base_sequence"),
        *("is_transactional", "marker", "coordinator_epoch", "base_offset", "last_offset"),
        *("log_start_offset", "crc"),
    }
)


def audit_topics(session: CommandSession, source: TopicSource, progress: Progress) -> SourceAudit:
    """Audit topics; if one is unreadable, the others are still judged.

    Raises:
        BadInputError: none of them can be read.

    """
    register(session.spark)
    compacted = compacted_topics(source)
    with progress.stage("asking leaders and coordinators"):
        transactions = transaction_evidence(source)
    with progress.stage("finding the order of transactions"):
        order = _order(session.spark, source, transactions)
    results: list[Judged] = []
    evidence: list[Evidence] = []
    bad: list[BadInput] = []
    for topic in source.topics:
        each = Evidence(
            rows=partial(_rows, session.spark, source, topic),
            source=transactions.source(
                frozenset(source.topics) if compacted is None else compacted,
                transactions.history_reason,
            ),
            runs=(*transactions.of_topic(topic), *order.transitions),
            order=order,
            topic=topic,
        )
        progress.write_line(f"kafka://{source.bootstrap_servers}/{topic}")
        try:
            results.append(judged(session, each, progress))
        except SPARK_ERRORS as refused:
            said = kafka_batches_error(refused)
            reason = reason_of(refused) if said is None else said.partition(": ")[2]
            bad.append(source.unread(topic, reason))
            continue
        evidence.append(each)
    if not results:
        raise BadInputError(bad[0])
    verdict = merged([each.verdict for each in results])
    told = without_order(order.left_out, order.with_gaps)
    unknown = {*verdict.unknown, *told, *transactions.unknown}
    audited = SourceVerdict(
        source=str(source),
        kind="topics",
        verdict=verdict._replace(unknown=tuple(sorted(unknown))),
        notes=(*compaction_notes(compacted), *transactions.notes),
    )
    return SourceAudit(verdict=audited, evidence=tuple(evidence), bad=tuple(bad))


def _order(
    spark: "SparkSession", source: TopicSource, transactions: TransactionEvidence
) -> HistoryOrder:
    """Return the order of the logs and of the coordinators' log, if that is known."""
    wanted = transactions_of(transactions.changes)
    outlines: list[Entry] = []
    for topic in source.topics if wanted else ():
        partitions = sum(place[0] == topic for place in transactions.asked)
        frame: Any = _rows(spark, source, topic, OUTLINED).drop(UNREAD_IN, UNREAD_TEXT)
        rows = frame.selectExpr("*", f"{_GAP} AS is_gap").where(
            "marker IS NOT NULL OR is_transactional OR is_gap"
        )
        told = rows.withColumn("kind", functions.expr(f"if(is_gap, '{GAP}', kind)")).drop("is_gap")
        divided = told.repartition(max(1, min(partitions, TASKS_MAX)), "partition")
        ordered = divided.sortWithinPartitions("partition", "base_offset")
        with suppress(*SPARK_ERRORS):  # whoever judges the topic reports it
            found = results_of(ordered.mapInArrow(outlining(wanted, transactions.asked), RESULT))
            outlines += (row for of_task in found for row in of_task)
    ends = transactions.asked.values()
    return history_order(outlines, transactions.changes, transactions.settled, ends)


def _rows(
    spark: "SparkSession", source: TopicSource, topic: str, columns: Sequence[str]
) -> "DataFrame":
    security = {f"kafka.{name}": value for name, value in source.security.options().items()}
    frame: Any = (
        spark.read.format("kafka_batches")
        .options(**security)
        .option("kafka.bootstrap.servers", source.bootstrap_servers)
        .option("subscribe", topic)
        .load()
    )
    nothing = [f"CAST(NULL AS string) AS {name}" for name in (UNREAD_IN, UNREAD_TEXT)]
    wanted = [f"{_expression(name)} AS `{name}`" for name in columns]
    read: DataFrame = frame.where("marker IS NOT NULL OR NOT is_control").selectExpr(
        *wanted, *nothing
    )
    return read


def _expression(name: str) -> str:
    if name in _SAME:
        return f"`{name}`"
    return _SAID.get(name, f"CAST(NULL AS {SPARK_TYPES[name]})")

"""Audit of a cluster's topics in this process, without Spark and Java.

Batches, the log of the coordinators and what leaders and coordinators answer become one list of
rows, as in a journal, which the same rules judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mockbroker.audit.identity.stored_copies import batches_in, proved
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.records.load_rules import judge_load
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.entry import Entry
from mockbroker.journal.record_identity import OFF, identity_of
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.auditing.topic_policies import compacted_topics, compaction_notes
from mockbroker.spark.auditing.visible_records import read_visible, waiting_from
from mockbroker.spark.batches.batch_headers import BatchRow
from mockbroker.spark.batches.batch_plan import batch_rows
from mockbroker.spark.format_errors import KafkaBatchesError
from mockbroker.spark.topics.joined_history import joined_history, logs_with_gaps, without_order
from mockbroker.spark.topics.log_outline import transactions_of
from mockbroker.spark.topics.transaction_evidence import TransactionEvidence, transaction_evidence
from mockbroker.wire.client import WireError
from mockbroker.wire.security import security_of

_AGAIN: Final = "Audit again when the brokers answer."
_NO_SETTINGS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTopics:
    """The verdict on topics, and the rows that were judged."""

    verdict: SourceVerdict
    entries: Sequence[Entry]
    bad: tuple[BadInput, ...] = ()


def audit_topics(
    bootstrap_servers: str,
    topics: Sequence[str],
    *,
    settings: Mapping[str, str] = _NO_SETTINGS,
    identity: str | None = None,
    across_topics: bool = False,
) -> Verdict:
    """Judge what topics of any Kafka cluster hold, by reading alone.

    `settings` are those of a Kafka client that concern TLS and SASL. `identity` is what identifies
    a record, such as `header:order-id`, or `off`.

    Raises:
        BadInputError: a topic cannot be read.
        SettingsError: a setting is wrong.
        ValueError: it is no identity.

    """
    source = TopicSource(
        bootstrap_servers=bootstrap_servers,
        topics=tuple(dict.fromkeys(topics)),
        security=security_of(settings),
    )
    done = audit_source(source, identity, across_topics=across_topics)
    if done.bad:
        raise BadInputError(done.bad[0])
    return done.verdict.verdict


def audit_source(
    source: TopicSource, identity: str | None = None, *, across_topics: bool = False
) -> AuditedTopics:
    """Judge topics; if one is unreadable, the others are still judged.

    Raises:
        BadInputError: none of them can be read.
        ValueError: it is no identity.

    """
    compacted = compacted_topics(source)
    evidence = transaction_evidence(source)
    rows, bad = read_topics(source)
    if bad and len(bad) == len(source.topics):
        raise BadInputError(bad[0])
    entries, history_reason, told = _in_order(rows, evidence)
    properties = evidence.source(
        frozenset(source.topics) if compacted is None else compacted, history_reason
    )
    verdict = judge(
        [*evidence.runs, *journal_runs(entries)], properties._replace(events=len(entries))
    )
    verdict = verdict._replace(unknown=tuple(sorted((*verdict.unknown, *told, *evidence.unknown))))
    notes = (
        *compaction_notes(compacted),
        *evidence.notes,
    )
    judged = SourceVerdict(source=str(source), kind="topics", verdict=verdict, notes=notes)
    done = AuditedTopics(verdict=judged, entries=entries, bad=tuple(bad))
    return done if identity is None else _with_ids(source, done, identity, across_topics)


def read_topics(source: TopicSource) -> tuple[list[Entry], list[BadInput]]:
    """Return the rows of topics, and of which the reading failed."""
    options = {f"kafka.{name}": value for name, value in source.security.options().items()}
    rows: list[Entry] = []
    bad: list[BadInput] = []
    for topic in source.topics:
        try:
            read = batch_rows(source.bootstrap_servers, [topic], may_begin_later=True, **options)
            rows += _still_stored([_entry(row) for row in read if row.marker or not row.is_control])
        except KafkaBatchesError as refused:
            bad.append(source.unread(topic, str(refused).partition(": ")[2]))
    return rows, bad


def _still_stored(rows: Sequence[Entry]) -> list[Entry]:
    """Return the rows without those that retention has removed while the logs were read."""
    starts: dict[tuple[str | None, int | None], int] = {}
    for row in rows:
        place = row.topic, row.partition
        starts[place] = max(starts.get(place, 0), row.log_start_offset or 0)
    return [
        row._replace(log_start_offset=starts[row.topic, row.partition])
        for row in rows
        if (row.last_offset or 0) >= starts[row.topic, row.partition]
    ]


def _in_order(
    rows: Sequence[Entry], evidence: TransactionEvidence
) -> tuple[list[Entry], str, Sequence[str]]:
    """Return the rows with the history of their transactions, or why there is none of it.

    The last result says of which transactional ids and logs there is none.
    """
    reason, ends = evidence.history_reason, evidence.asked
    if reason:
        return [row._replace(seq=number) for number, row in enumerate(rows, 1)], reason, ()
    known: list[Entry] = []
    later: list[Entry] = []
    for row in rows:
        end = ends.get((row.topic or "", row.partition or 0), 0)
        (known if (row.base_offset or 0) < end else later).append(row)
    with_gaps = logs_with_gaps(rows, transactions_of(evidence.changes))
    joined, left_out = joined_history(known, evidence.changes, evidence.settled, with_gaps)
    numbered = enumerate([*joined, *later], 1)
    entries = [row._replace(seq=number) for number, row in numbered]
    return entries, reason, without_order(left_out, with_gaps)


def _entry(row: BatchRow) -> Entry:
    is_batch = row.marker is None
    return Entry(
        seq=0,
        kind="append" if is_batch else "marker",
        wall_time_us=row.max_timestamp_ms * 1000,
        virtual_time_ms=row.max_timestamp_ms,
        topic=row.topic,
        partition=row.partition,
        leader_epoch=row.leader_epoch,
        producer_id=row.producer_id,
        producer_epoch=row.producer_epoch,
        base_sequence=row.base_sequence,
        # Compaction removes records, but keeps the offsets.
        record_count=row.last_offset - row.base_offset + 1 if is_batch else None,
        crc=row.crc,
        is_transactional=row.is_transactional,
        is_duplicate=False if is_batch else None,
        marker=row.marker,
        coordinator_epoch=row.coordinator_epoch,
        base_offset=row.base_offset,
        last_offset=row.last_offset,
        log_start_offset=row.log_start_offset,
        log_end_offset=row.last_offset + 1,
    )


def _with_ids(
    source: TopicSource, done: AuditedTopics, identity: str, across_topics: bool
) -> AuditedTopics:
    verdict = done.verdict.verdict
    if identity == OFF:
        verdict = verdict._replace(identity=OFF)
        return replace(done, verdict=replace(done.verdict, verdict=verdict))
    wanted = identity_of(identity)
    assert wanted is not None, identity
    unread = {each.where for each in done.bad}
    topics = [each for each in source.topics if source.unread(each, "").where not in unread]
    try:
        waiting = waiting_from(source.bootstrap_servers, topics, security=source.security)
        found = [
            record
            for topic in topics
            for record in read_visible(
                source.bootstrap_servers, topic, None, wanted, security=source.security
            )
        ]
    except WireError as error:
        bad = BadInput(
            where=str(source), what=f"Its records cannot be read: {error}.", advice=_AGAIN
        )
        return replace(done, bad=(*done.bad, bad))
    verdict = judge_load(
        verdict, None, found, waiting, identity=str(wanted), across_topics=across_topics
    )
    verdict = verdict._replace(findings=proved(verdict.findings, batches_in(done.entries)))
    return replace(done, verdict=replace(done.verdict, verdict=verdict))

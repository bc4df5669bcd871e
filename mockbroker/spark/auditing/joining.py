"""Join of a verdict with record ids: those of a load's ledger, and those that readers find.

The ledger is read on this machine; workers read the records in topics.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.audit.identity.found_rows import column_of
from mockbroker.audit.identity.recorded_ids import by_life, span_of, spans_of
from mockbroker.audit.identity.stored_copies import (
    Coverage,
    Range,
    StoredBatch,
    proved,
    ranges_of,
)
from mockbroker.audit.rules.records.load_rules import judge_load
from mockbroker.journal.record_identity import OFF, RecordIdentity
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.journal_remarks import judged_identity, unread_table
from mockbroker.spark.auditing.source import JournalSource, Source
from mockbroker.spark.auditing.source_audit import SourceAudit
from mockbroker.spark.auditing.visible_records import OF_LOADS, visible_frame, waiting_from
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.recorded_ids import (
    found_in_frame,
    repeated_found,
    repeated_ids,
)
from mockbroker.spark.load.load_ledger import LedgerError, VisibleRecord
from mockbroker.spark.load.load_ledger_files import LoadLedger, read_ledger
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of
from mockbroker.wire.client import WireError

_BATCHES: Final = (
    "seq bigint, topic string, partition int, base_offset bigint, last_offset bigint, "
    "virtual_time_ms bigint, producer_id bigint, producer_epoch smallint, client_id string"
)
_ALL: Final = (0, (1 << 63) - 1)
_AGAIN: Final = "Name the ledger of the load that wrote to this source, or leave it out."


def ledger_of(path: str, source_count: int) -> tuple[LoadLedger, list[BadInput]]:
    """Read a ledger, and return its defects.

    Raises:
        BadInputError: the folder is not a ledger, or there is more than one source for it.

    """
    if source_count > 1:
        raise BadInputError(
            BadInput(
                where=path,
                what="A ledger belongs to one load, but there are several sources.",
                advice="Audit only the source of that load.",
            )
        )
    try:
        ledger = read_ledger(path)
    except LedgerError as refused:
        what = f"{str(refused).rstrip('.')}."
        raise BadInputError(BadInput(where=path, what=what, advice=_AGAIN)) from refused
    advice = "The remaining rows are judged; repeat the load for a complete audit."
    return ledger, [BadInput(where=path, what=f"{said}.", advice=advice) for said in ledger.broken]


class WantedIds(NamedTuple):
    """Ids that are compared."""

    identity: RecordIdentity = OF_LOADS
    across_topics: bool = False


OF_A_LOAD: Final = WantedIds()


def joined(
    session: CommandSession,
    source: Source,
    done: SourceAudit,
    ledger: LoadLedger | None,
    wanted: WantedIds = OF_A_LOAD,
) -> tuple[SourceAudit, list[BadInput]]:
    """Judge the ids, too; report and ignore a ledger that does not match the source."""
    if ledger is not None and not _fits(source, done, ledger.manifest.topic):
        topic = ledger.manifest.topic
        what = f"Its load wrote to {topic}, which is not in {source}: the ledger is not used."
        return done, [BadInput(where="--ledger", what=what, advice=_AGAIN)]
    try:
        waiting = _waiting(source, ledger)  # must precede the reading of records
        found = _found(session, source, ledger, wanted.identity)
    except WireError as refused:
        return done, [_unread(source, str(refused))]
    except SPARK_ERRORS as refused:
        return done, [_unread(source, reason_of(refused))]
    verdict = judge_load(
        done.verdict.verdict,
        None if ledger is None else ledger.rows,
        found,
        waiting,
        identity=str(wanted.identity),
        across_topics=wanted.across_topics,
    )
    verdict = verdict._replace(findings=_proved(verdict.findings, done.evidence))
    return replace(done, verdict=replace(done.verdict, verdict=verdict)), []


def joined_with_recorded(
    done: SourceAudit, wanted: str | None, *, across_topics: bool
) -> tuple[SourceAudit, list[BadInput]]:
    """Judge the ids that a journal has, if any; pieces of it are judged separately."""
    identity, bad = judged_identity(done.verdict.source, done.identity, wanted)
    verdict = done.verdict.verdict._replace(identity=identity)
    try:
        pieces = () if identity in {None, OFF} else done.evidence
        found = [repeated_ids(each.rows, across_topics=across_topics) for each in pieces]
        are_there = any(are_any for _, are_any in found)
        for piece, (repeated, _) in zip(pieces, found, strict=True):
            for alike in by_life(repeated):
                verdict = judge_load(
                    verdict,
                    None,
                    alike,
                    identity=str(identity),
                    across_topics=across_topics,
                    has_ids=are_there,
                    spans=spans_of(alike),
                )
                findings = _proved(verdict.findings, [piece], span_of(alike))
                verdict = verdict._replace(findings=findings)
    except SPARK_ERRORS as refused:
        return done, [*bad, _unread(done.verdict.source, reason_of(refused))]
    return replace(done, verdict=replace(done.verdict, verdict=verdict)), bad


def joined_with_found(
    session: CommandSession,
    done: SourceAudit,
    path: str,
    identity: str,
    *,
    across_topics: bool,
) -> tuple[SourceAudit, list[BadInput]]:
    """Judge the ids in a column of a table of records that readers found."""
    try:
        frame = session.spark.read.parquet(path)
        found = found_in_frame(frame, str(column_of(identity)))
        verdict = judge_load(
            done.verdict.verdict,
            None,
            repeated_found(found, across_topics=across_topics),
            identity=identity,
            across_topics=across_topics,
            has_ids=bool(found.limit(1).collect()),
        )
        verdict = verdict._replace(findings=_proved(verdict.findings, done.evidence))
    except ValueError as refused:
        return done, [unread_table(path, str(refused))]
    except SPARK_ERRORS as refused:
        return done, [unread_table(path, reason_of(refused))]
    return replace(done, verdict=replace(done.verdict, verdict=verdict)), []


def _proved(
    findings: Sequence[Finding], evidence: Sequence[Evidence], span: tuple[int, int] = _ALL
) -> tuple[Finding, ...]:
    """Add the rows of the batches in which the copies are stored, among those with some numbers."""
    ranges = ranges_of(findings)
    if not ranges:
        return tuple(findings)
    stored: list[StoredBatch] = []
    for each in evidence:
        frame: Any = each.rows([*StoredBatch._fields, "kind", "is_duplicate"])
        appended = frame.where(
            "kind = 'append' AND NOT coalesce(is_duplicate, false)"
            f" AND seq BETWEEN {span[0]} AND {span[1]}"
        )
        chosen = appended.select(*StoredBatch._fields).mapInArrow(
            partial(_covering, ranges), _BATCHES
        )
        stored += (StoredBatch(*row) for row in chosen.collect())
    return proved(findings, stored)


def _covering(ranges: Sequence[Range], batches: Iterator[Any]) -> Iterator[Any]:
    """Choose the batches with offsets in some ranges, in a worker."""
    pa: Any = import_module("pyarrow")
    coverage = Coverage(ranges)
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in StoredBatch._fields[1:5])
        chosen = [coverage.has(*each) for each in zip(*columns, strict=True)]
        yield batch.filter(pa.array(chosen, pa.bool_()))


def _fits(source: Source, done: SourceAudit, topic: str) -> bool:
    if not isinstance(source, JournalSource):
        return topic in source.topics
    for evidence in done.evidence:
        frame: Any = evidence.rows(["kind", "topic"])
        there = frame.where(frame["topic"] == topic).where("kind = 'append'").limit(1)
        if there.collect():
            return True
    return False


def _found(
    session: CommandSession, source: Source, ledger: LoadLedger | None, identity: RecordIdentity
) -> Iterable[VisibleRecord] | None:
    if isinstance(source, JournalSource):
        return None if ledger is None else ledger.visible
    frame: Any = visible_frame(
        session.spark, source.bootstrap_servers, source.topics, identity, security=source.security
    )
    return [VisibleRecord(*row) for row in frame.collect()]


def _waiting(source: Source, ledger: LoadLedger | None) -> Mapping[tuple[str, int], int]:
    """Return the offsets from which open transactions block readers, so the outcome is unknown."""
    if isinstance(source, JournalSource):
        return {} if ledger is None else ledger.waiting
    return waiting_from(source.bootstrap_servers, source.topics, security=source.security)


def _unread(source: Source | str, reason: str) -> BadInput:
    return BadInput(
        where=str(source),
        what=f"Its records cannot be read for their ids: {reason.rstrip('.')}.",
        advice="Check that the brokers can be reached, and audit again.",
    )

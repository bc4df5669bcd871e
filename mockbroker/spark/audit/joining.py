"""Join of a verdict with record ids: those of a load's ledger, and those that readers find.

The ledger is read on this machine; workers read the records in topics.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from mockbroker.audit.rules.load_rules import judge_load
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.audit.source import JournalSource, Source
from mockbroker.spark.audit.source_audit import SourceAudit
from mockbroker.spark.audit.visible_records import visible_frame, waiting_from
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.load.load_ledger import LedgerError, VisibleRecord
from mockbroker.spark.load.load_ledger_files import LoadLedger, read_ledger
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of
from mockbroker.wire.client import WireError

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


def joined(
    session: CommandSession, source: Source, done: SourceAudit, ledger: LoadLedger | None
) -> tuple[SourceAudit, list[BadInput]]:
    """Judge the ids, too; report and ignore a ledger that does not match the source."""
    if ledger is not None and not _fits(source, done, ledger.manifest.topic):
        topic = ledger.manifest.topic
        what = f"Its load wrote to {topic}, which is not in {source}: the ledger is not used."
        return done, [BadInput(where="--ledger", what=what, advice=_AGAIN)]
    try:
        waiting = _waiting(source, ledger)  # must precede the reading of records
        found = _found(session, source, ledger)
    except WireError as refused:
        return done, [_unread(source, str(refused))]
    except SPARK_ERRORS as refused:
        return done, [_unread(source, reason_of(refused))]
    if ledger is None and found is None:
        what = "A journal has no record contents: without a ledger it has no ids."
        return done, [BadInput(where=str(source), what=what, advice="Leave --ids out.")]
    verdict = judge_load(
        done.verdict.verdict, None if ledger is None else ledger.rows, found, waiting
    )
    return replace(done, verdict=replace(done.verdict, verdict=verdict)), []


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
    session: CommandSession, source: Source, ledger: LoadLedger | None
) -> Iterable[VisibleRecord] | None:
    if isinstance(source, JournalSource):
        return None if ledger is None else ledger.visible
    frame: Any = visible_frame(session.spark, source.bootstrap_servers, source.topics)
    return [VisibleRecord(*row) for row in frame.collect()]


def _waiting(source: Source, ledger: LoadLedger | None) -> Mapping[tuple[str, int], int]:
    """Return the offsets from which open transactions block readers, so the outcome is unknown."""
    if isinstance(source, JournalSource):
        return {} if ledger is None else ledger.waiting
    return waiting_from(source.bootstrap_servers, source.topics)


def _unread(source: Source, reason: str) -> BadInput:
    return BadInput(
        where=str(source),
        what=f"Its records cannot be read for their ids: {reason.rstrip('.')}.",
        advice="Check that the brokers can be reached, and audit again.",
    )

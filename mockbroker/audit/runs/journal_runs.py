"""Conversion of a journal's rows to runs of one event, for the rows that a rule needs."""

from collections.abc import Iterable, Iterator
from typing import Final

from mockbroker.audit.runs.run import Run
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

KINDS: Final = frozenset(
    {
        *("append", "marker", "transaction", "producer_expired", "leader", "topic_created"),
        *("topic_deleted", "log_start", "truncation", "event", "lost", "clock", "assignment"),
        *("acquired", "acknowledged", "lock_expired", "session_released", "archived"),
        *("share_loaded", "share_reset", "offset_committed", "offset_pending", "offset_removed"),
    }
)
"""Kinds of which all rows become runs."""
ANSWERS: Final = frozenset({ApiKey.PRODUCE, ApiKey.INIT_PRODUCER_ID, ApiKey.END_TXN})
"""APIs of which all responses become runs; of others none, except Fetch responses with an error or
with records."""
REQUESTS: Final = frozenset({ApiKey.PRODUCE, ApiKey.INIT_PRODUCER_ID, ApiKey.FETCH})
"""APIs of which all requests become runs."""


def is_needed(entry: Entry) -> bool:
    """Return whether any rule needs a row."""
    kind, api = entry.kind, entry.api
    if kind == "answer" and api is ApiKey.FETCH:
        return entry.error is not ErrorCode.NONE or entry.last_offset is not None
    if kind == "answer":
        return api in ANSWERS
    return api in REQUESTS if kind == "request" else kind in KINDS


def journal_runs(entries: Iterable[Entry]) -> Iterator[Run]:
    """Yield a run for each row that a rule needs."""
    return map(run_of, filter(is_needed, entries))


def run_of(entry: Entry) -> Run:
    """Convert a row to a run."""
    error = entry.error
    return Run(
        kind=entry.kind,
        seq=entry.seq,
        virtual_time_ms=entry.virtual_time_ms,
        topic=entry.topic,
        partition=entry.partition,
        producer_id=entry.producer_id,
        producer_epoch=entry.producer_epoch,
        transactional_id=entry.transactional_id,
        base_sequence=entry.base_sequence,
        record_count=entry.record_count,
        is_transactional=entry.is_transactional,
        is_duplicate=entry.is_duplicate,
        marker=entry.marker,
        coordinator_epoch=entry.coordinator_epoch,
        base_offset=entry.base_offset,
        last_offset=entry.last_offset,
        leader_epoch=entry.leader_epoch,
        log_start_offset=entry.log_start_offset,
        high_watermark=entry.high_watermark,
        log_end_offset=entry.log_end_offset,
        last_stable_offset=entry.last_stable_offset,
        state_before=entry.state_before,
        state_after=entry.state_after,
        broker=entry.broker,
        acks=entry.acks,
        call=entry.call,
        connection=entry.connection,
        client_id=entry.client_id,
        api=None if entry.api is None else entry.api.title,
        error=None if error is None else error.name,
        rule=entry.rule,
        applied=entry.applied,
        crc=entry.crc,
        group=entry.group,
        detail=entry.detail,
    )

"""Rows of the ledger in readable form: values with names, and lines of a timeline."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag, Row
from mockbroker.journal.compact.transaction_event import Decision
from mockbroker.protocol.errors import ErrorCode

LINES_MAX: Final = 40
_SECOND_MS: Final = 1000
_WITHOUT_ANSWER: Final = {
    ResponseOutcome.NONE_YET: "no answer yet",
    ResponseOutcome.LOST: "answer lost",
    ResponseOutcome.UNWANTED: "no answer wanted",
}


class SentBatch(NamedTuple):
    """A batch that a client sent to a partition, with its offset and response."""

    topic: str
    partition: int
    producer_id: int
    """-1 for a batch without a producer id."""
    producer_epoch: int
    base_sequence: int
    record_count: int
    is_transactional: bool
    base_offset: int
    """The batch's offset; of a retry, that of the first try; -1 if it was not appended."""
    appended: str
    """`no`, `yes`, or `retry` if the log recognised it as one."""
    answer: str
    """`acknowledged`, the name of an error, `answer lost`, `no answer yet`, `no answer wanted`."""
    call_number: int
    connection: int
    client_id: str | None
    now_ms: int
    """The cluster's time at the arrival."""


def sent_batches(ledger: Ledger, topic: str | None = None) -> list[SentBatch]:
    """Return the batches that were sent to a topic, or to all, in order.

    A full ledger has neither later batches nor what became of these later.
    """
    return [
        _sent_batch(ledger, row)
        for row in ledger
        if topic is None or ledger.places[row.place].topic == topic
    ]


def _sent_batch(ledger: Ledger, row: Row) -> SentBatch:
    place = ledger.places[row.place]
    return SentBatch(
        topic=place.topic,
        partition=place.partition,
        producer_id=row.producer_id,
        producer_epoch=row.producer_epoch,
        base_sequence=row.base_sequence,
        record_count=row.record_count,
        is_transactional=row.is_transactional,
        base_offset=row.base_offset,
        appended=Appended(row.appended).name.lower(),
        answer=_answer(row),
        call_number=row.call_number,
        connection=row.connection,
        client_id=ledger.clients.get(row.connection),
        now_ms=row.now_ms,
    )


def _answer(row: Row) -> str:
    if row.answer != ResponseOutcome.GIVEN:
        return _WITHOUT_ANSWER[ResponseOutcome(row.answer)]
    return ErrorCode(row.error_code).name if row.error_code else "acknowledged"


# A timeline.


def timeline(ledger: Ledger, *, lines_max: int = LINES_MAX) -> str:
    """Format the last batches and decisions, in order; times count from the first.

    The last line says if the ledger is full: what came later is not recorded.
    """
    events = [(row.came_at, row.now_ms, _row_line(ledger, row)) for row in ledger]
    events += [
        (
            each.order,
            each.now_ms,
            _decision_line(each),
        )
        for each in ledger.decisions
    ]
    events += [
        (
            each.order,
            each.now_ms,
            f"{each.transactional_id!r} is given {each.producer_id} e{each.producer_epoch}",
        )
        for each in ledger.epochs
    ]
    written = _written(sorted(events, key=lambda each: each[0]), lines_max)
    if not ledger.dropped:
        return written
    full = f"... the ledger is full ({ledger.rows_max} rows): nothing later is recorded ..."
    return f"{written}\n{full}" if events else full


def _written(events: list[tuple[int, int, str]], lines_max: int) -> str:
    if not events:
        return "(no batch came)"
    start_ms = events[0][1]
    left_out = len(events) - lines_max
    lines = [f"... {left_out} before ..."] if left_out > 0 else []
    lines += [
        f"+{(now_ms - start_ms) / _SECOND_MS:.3f}s  {text}"
        for _, now_ms, text in events[-lines_max:]
    ]
    return "\n".join(_aligned(lines))


def _aligned(lines: Iterable[str]) -> list[str]:
    """Align the times of lines."""
    parted = [line.split("  ", 1) for line in lines]
    width = max(len(parts[0]) for parts in parted if len(parts) > 1)
    return [
        "  ".join([parts[0].rjust(width), parts[1]]) if len(parts) > 1 else parts[0]
        for parts in parted
    ]


def _decision_line(decision: Decision) -> str:
    word = "commits" if decision.is_commit else "aborts"
    whose = f"{decision.producer_id} e{decision.producer_epoch}"
    return f"{decision.transactional_id!r} {word} ({whose})"


def _row_line(ledger: Ledger, row: Row) -> str:
    place, client = ledger.places[row.place], ledger.clients.get(row.connection)
    whose = ""
    if row.producer_id >= 0:
        sequences = f"#{row.base_sequence}"
        if row.record_count > 1:
            sequences += f"..{(row.base_sequence + row.record_count - 1) & 0x7FFFFFFF}"
        whose = f" {row.producer_id} e{row.producer_epoch} {sequences}"
        whose += " in a transaction" if row.is_transactional else ""
    count = f"{row.record_count} record" + ("s" if row.record_count != 1 else "")
    return (
        f"{place} <-{whose} ({count}): {_became(row)}, {_answer(row)}; "
        f"call {row.call_number} of {client!r} on connection {row.connection}"
    )


def _became(row: Row) -> str:
    offsets = f"{row.base_offset}..{row.last_offset}" if row.record_count > 1 else row.base_offset
    again = ", once more" if row.flags & Flag.REPEATED else ""
    match row.appended:
        case Appended.YES:
            return f"appended at {offsets}{again}"
        case Appended.RETRY:
            return f"known already at {offsets}{again}"
        case _:
            return "not appended"

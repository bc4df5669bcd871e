"""Folding of transactions of a producer id in all partitions: complete and regular ones."""

import json
from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.audit.folding.folding_calls import Calls
from mockbroker.audit.folding.folding_rows import (
    NULL,
    Bools,
    Ints,
    Rows,
    before,
    begins,
    in_streams,
)
from mockbroker.audit.runs.run import Stream

_BEGIN, _WRITE, _PREPARE, _MARK, _COMPLETE, _WHOLE, _OTHER = range(7)
_RESTING: Final = ("Empty", "CompleteCommit", "CompleteAbort")


class WholeTransactions(NamedTuple):
    """Rows of transactional producers in order, by producer, and the transactions they form."""

    rows: Ints
    unit: Ints
    """Of each row: its transaction, numbered consecutively; a folded run is one of its own."""
    is_clean: Bools
    """Of each transaction (or folded run)."""
    joins: Bools
    """… whether it continues the previous one, with nothing between them."""


def whole_transactions(rows: Rows, calls: Calls, is_regular: Bools) -> WholeTransactions:
    """Find the transactions that are complete, and regular in all of their rows."""
    phase, members = _phases(rows)
    index = in_streams(rows, members & (rows.producers >= 0), rows.producers)
    phase, producer = phase[index], rows.producers[index]
    starts = begins(producer) | (phase == _BEGIN) | before(phase == _COMPLETE, False)
    starts |= (phase >= _WHOLE) | before(phase >= _WHOLE, False)
    unit = np.cumsum(starts) - 1
    count = int(unit[-1]) + 1 if len(unit) else 0
    if not count:
        return WholeTransactions(index, unit, np.zeros(0, bool), np.zeros(0, bool))
    heads = np.flatnonzero(starts)
    tails = np.concatenate([heads[1:], [len(index)]]) - 1
    is_fold = phase[heads] == _WHOLE
    clean = _is_in_order(phase, starts, unit, heads, tails)
    clean &= ~_any(unit, ~is_regular[index], count)
    clean &= _one_story(rows, index, unit, phase, heads)
    prepares = index[phase == _PREPARE]
    clean &= ~_any(unit[phase == _PREPARE], calls.ended[prepares] < 0, count)
    clean &= _marked_where_prepared(rows, index, unit, phase, count)
    clean &= ~_any(unit, _was_sent_before(rows, calls, index, unit, heads), count)
    clean &= ~_any(unit, _was_ended_by_an_earlier_call(rows, index, unit, phase, heads), count)
    # An irregular row is judged with its neighbours, which are not folded either.
    is_odd, is_other = ~(clean | is_fold), begins(producer[heads])
    beside = before(is_odd, False) & ~is_other
    beside[:-1] |= (is_odd & ~is_other)[1:]
    clean = is_fold | (clean & ~beside)
    return WholeTransactions(index, unit, clean, _joins(rows, index, heads, tails, producer))


def _phases(rows: Rows) -> tuple[Ints, Bools]:
    """Return the phase of its transaction for each row."""
    transitions = rows.of_kind("transaction")
    state_before, state_after = rows.texts("state_before"), rows.texts("state_after")
    ongoing = state_after.are("Ongoing")
    prepares = state_after.are("PrepareCommit", "PrepareAbort")
    completes = state_after.are("CompleteCommit", "CompleteAbort")
    markers = rows.of_kind("marker")
    writes = rows.of_kind("append") & (rows.ints("is_transactional") == 1)
    wholes = rows.of_stream(Stream.TRANSACTION)
    phase = np.full(rows.count, _OTHER, np.int64)
    phase[transitions & ongoing & state_before.are(*_RESTING)] = _BEGIN
    phase[transitions & ongoing & state_before.are("Ongoing")] = _WRITE
    phase[transitions & prepares & state_before.are("Ongoing")] = _PREPARE
    agree = state_before.are("PrepareCommit") & state_after.are("CompleteCommit")
    agree |= state_before.are("PrepareAbort") & state_after.are("CompleteAbort")
    phase[transitions & completes & agree] = _COMPLETE
    phase[markers] = _MARK
    phase[writes & (rows.ints("is_duplicate") != 1)] = _WRITE
    phase[wholes] = _WHOLE
    return phase, transitions | markers | writes | wholes


def _any(unit: Ints, flags: Bools, count: int) -> Bools:
    """Return the transactions in which a row is flagged."""
    return np.bincount(unit[flags], minlength=count) > 0


def _is_in_order(phase: Ints, starts: Bools, unit: Ints, heads: Ints, tails: Ints) -> Bools:
    count = len(heads)
    clean: Bools = (phase[heads] == _BEGIN) & (phase[tails] == _COMPLETE)
    clean &= ~_any(unit, ~starts & (phase < before(phase, 0)), count)
    for once in (_PREPARE, _COMPLETE):
        clean &= np.bincount(unit[phase == once], minlength=count) == 1
    return clean


def _one_story(rows: Rows, index: Ints, unit: Ints, phase: Ints, heads: Ints) -> Bools:
    """Check that epochs, states and markers of each transaction are consistent."""
    count = len(heads)
    producer_epoch = rows.ints("producer_epoch")[index]
    own = producer_epoch[heads][unit]
    ends = phase >= _PREPARE
    at_end = np.full(count, NULL)
    at_end[unit[phase == _PREPARE]] = producer_epoch[phase == _PREPARE]
    bad: Bools = producer_epoch != np.where(ends, at_end[unit], own)
    clean: Bools = (at_end == producer_epoch[heads]) | (at_end == producer_epoch[heads] + 1)
    clean &= ~_any(unit, bad, count)
    coordinator = rows.ints("coordinator_epoch")[index]
    bad = (phase != _WRITE) & (coordinator != coordinator[heads][unit])
    clean &= ~_any(unit, bad, count)
    clean &= ~_any(unit, _is_other_end(rows, index, unit, phase, count), count)
    transactional_id = rows.texts("transactional_id").codes[index]
    is_transition = (phase != _MARK) & rows.of_kind("transaction")[index]
    bad = is_transition & (transactional_id != transactional_id[heads][unit])
    clean &= ~_any(unit, bad, count)
    return clean


def _is_other_end(rows: Rows, index: Ints, unit: Ints, phase: Ints, count: int) -> Bools:
    """Return the markers and completions that do not match the prepared transition."""
    commits = np.zeros(count, bool)
    prepares = phase == _PREPARE
    prepared = rows.texts("state_after").are("PrepareCommit")[index]
    commits[unit[prepares]] = prepared[prepares]
    says = np.where(
        phase == _MARK,
        rows.texts("marker").are("COMMIT")[index],
        rows.texts("state_after").are("CompleteCommit")[index],
    )
    other: Bools = ((phase == _MARK) | (phase == _COMPLETE)) & (says != commits[unit])
    return other


def _was_sent_before(rows: Rows, calls: Calls, index: Ints, unit: Ints, heads: Ints) -> Bools:
    """Return the batches that another call sent before their transaction began."""
    seq, call = rows.ints("first_seq"), rows.ints("call")
    request = calls.request[index]
    early = (request >= 0) & (seq[request] < seq[index[heads]][unit])
    if not early.any():
        return early
    transitions = rows.of_kind("transaction")[index] & (call[index] != NULL)
    width = int(call.max()) + 2
    begun = unit[transitions] * width + call[index[transitions]]
    return early & ~np.isin(unit * width + call[index], begun)


def _was_ended_by_an_earlier_call(
    rows: Rows, index: Ints, unit: Ints, phase: Ints, heads: Ints
) -> Bools:
    """Return the ends of transactions that were requested before the transaction began."""
    call = rows.ints("call")[index]
    begun = call[heads][unit]
    earlier: Bools = (phase == _PREPARE) & (call != NULL) & (begun != NULL) & (call < begun)
    return earlier


def _marked_where_prepared(rows: Rows, index: Ints, unit: Ints, phase: Ints, count: int) -> Bools:
    """Check that each partition of a transaction has a marker, and others no batches."""
    places = len(rows.places.keys) + 1
    at = unit * places + rows.places.codes[index]
    marked = np.sort(at[phase == _MARK])
    clean = ~_any(marked[1:] // places, marked[1:] == marked[:-1], count)
    prepares = np.flatnonzero(phase == _PREPARE)
    listed, of_text = _listed_places(rows, index[prepares])
    lengths = np.array([len(each) for each in listed], np.int64)[of_text]
    listed_at = np.repeat(unit[prepares], lengths) * places + _spread(listed, of_text)
    wrong = ~np.isin(listed_at, marked)
    clean &= ~_any(np.repeat(unit[prepares], lengths), wrong, count)
    expected = np.zeros(count, np.int64)
    np.add.at(expected, unit[prepares], lengths)
    clean &= np.bincount(unit[phase == _MARK], minlength=count) == expected
    writes = (phase == _WRITE) & rows.of_kind("append")[index]
    return clean & ~_any(unit[writes], ~np.isin(at[writes], marked), count)


def _listed_places(rows: Rows, prepares: Ints) -> tuple[list[Ints], Ints]:
    """Return the partitions in each different list of a transition, and the list of each row."""
    detail = rows.texts("detail")
    known, of_text = np.unique(detail.codes[prepares], return_inverse=True)
    topics = {text: code for code, text in enumerate(rows.texts("topic").texts)}
    numbers = {int(key): number for number, key in enumerate(rows.places.keys)}
    listed: list[Ints] = []
    for code in known:
        detail_of_row: dict[str, Any] = json.loads(detail.texts[int(code)]) if code >= 0 else {}
        names: list[str] = detail_of_row.get("partitions", [])
        keys = (_key(name, topics, rows.places.width) for name in names)
        # A partition without rows has no marker either: it counts as none.
        listed.append(np.array([numbers.get(key, -1) for key in keys], np.int64))
    return listed, np.asarray(of_text, np.int64)


def _key(name: str, topics: dict[str, int], width: int) -> int:
    topic, _, partition = name.rpartition("-")
    number = int(partition) if partition.isdigit() else width
    return topics[topic] * width + number if topic in topics and number < width else -1


def _spread(listed: list[Ints], of_text: Ints) -> Ints:
    parts = [listed[int(each)] for each in of_text]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _joins(rows: Rows, index: Ints, heads: Ints, tails: Ints, producer: Ints) -> Bools:
    begin, end = index[heads], index[tails]
    state_before = rows.texts("state_before")
    state_after = rows.texts("state_after")
    numbers = {text: number for number, text in enumerate(state_after.texts)}
    same_state = state_before.mapped(numbers)[begin] == before(state_after.codes[end], -2)
    joins: Bools = (producer[heads] == before(producer[tails], -1)) & same_state
    for first, last in (
        ("coordinator_epoch", "coordinator_epoch"),
        ("producer_epoch", "last_producer_epoch"),
    ):
        joins &= rows.ints(first)[begin] == before(rows.ints(last)[end], 0)
    joins &= rows.ints("first_seq")[begin] > before(rows.ints("last_seq")[end], 0)
    return joins


def folded_transactions(rows: Rows, found: WholeTransactions) -> dict[str, Any]:
    """Return the columns of folded runs of all regular transactions."""
    count = len(found.is_clean)
    heads = np.flatnonzero(begins(found.unit))
    tails = np.concatenate([heads[1:], [len(found.rows)]]) - 1
    begin, end = found.rows[heads], found.rows[tails]
    is_fold = rows.of_stream(Stream.TRANSACTION)[begin]
    took = rows.ints("last_time_ms")[end] - rows.ints("first_time_ms")[begin]
    took = np.where(is_fold, rows.ints("longest_ms")[begin], took)
    events = np.zeros(count, np.int64)
    np.add.at(events, found.unit, rows.ints("events")[found.rows])
    records = np.zeros(count, np.int64)
    counted = np.maximum(rows.ints("record_count")[found.rows], 0)
    np.add.at(records, found.unit, counted)
    clean = np.flatnonzero(found.is_clean)
    # A run ends where the next regular transaction does not continue, or an irregular one follows.
    goes_on = found.joins[clean] & (clean == before(clean, -2) + 1)
    runs = np.flatnonzero(~goes_on)
    ends = np.concatenate([runs[1:], [len(clean)]]) - 1
    begin, end = begin[clean[runs]], end[clean[ends]]
    return {
        "first": begin,
        "last": end,
        "events": np.add.reduceat(events[clean], runs) if len(runs) else events[:0],
        "producer_id": rows.ints("producer_id")[end],
        "producer_epoch": rows.ints("producer_epoch")[begin],
        "last_producer_epoch": rows.ints("last_producer_epoch")[end],
        "coordinator_epoch": rows.ints("coordinator_epoch")[end],
        "record_count": np.add.reduceat(records[clean], runs) if len(runs) else records[:0],
        "longest_ms": np.maximum.reduceat(took[clean], runs) if len(runs) else took[:0],
    }

"""Folding of producers in partitions: batches that continue the sequence of the previous one."""

from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.audit.folding.folding_logs import APART, apart
from mockbroker.audit.folding.folding_rows import (
    Bools,
    Ints,
    Rows,
    before,
    begins,
    in_streams,
)
from mockbroker.audit.runs.run import (
    NO_SEQUENCE,
    SEQUENCES,
    UNNUMBERED,
    Stream,
)

_HALF: Final = SEQUENCES // 2
_KINDS: Final = ("append", "marker", "producer_expired", "answer", "lost")
"""Kinds of events in a producer's stream."""


class ProducerLinks(NamedTuple):
    """Members of all producers' streams in order, and which of them are regular."""

    members: Ints
    stream: Ints
    """Of each member: a number for its stream."""
    is_batch: Bools
    """… whether it is an appended batch or a folded run; others only lie between these."""
    follows: Bools
    """… whether it continues the previous batch; undefined for a first one."""
    is_regular: Bools


def producer_links(rows: Rows, eras: Ints) -> ProducerLinks:
    """Compare each batch with the previous one of its producer in the partition."""
    folded = rows.of_stream(Stream.PRODUCER)
    appended = rows.of_kind("append") & (rows.ints("is_duplicate") != 1)
    between = rows.is_event & rows.texts("kind").are(*_KINDS)
    if not rows.texts("error").texts:
        between &= ~rows.of_kind("answer")
    else:
        between &= ~(rows.of_kind("answer") & rows.texts("error").are("NONE"))
    members = (folded | appended | between) & (rows.places.codes >= 0) & (rows.producers >= 0)
    streams = rows.places.codes * max(rows.producer_count, 1) + rows.producers
    index = in_streams(rows, members, streams)
    stream = streams[index]
    is_batch = (folded | appended)[index]
    is_late = np.zeros(len(index), bool)
    is_late[is_batch] = _is_late(rows, index[is_batch], stream[is_batch])
    is_first = _is_first(stream, is_batch)
    chain = is_batch & ~is_late
    follows = np.zeros(len(index), bool)
    follows[chain] = _follows(rows, index[chain], stream[chain], eras)
    regular = chain & (follows | (is_first & (rows.ints("producer_epoch")[index] >= 0)))
    return ProducerLinks(index, stream, is_batch, follows, regular)


def _is_first(stream: Ints, is_batch: Bools) -> Bools:
    """Return the members that are the first batches of their streams."""
    first = np.zeros(len(stream), bool)
    batches = np.flatnonzero(is_batch)
    first[batches] = begins(stream[batches])
    return first


def _is_late(rows: Rows, index: Ints, stream: Ints) -> Bools:
    """Return the batches with a lower epoch than an earlier one in their stream."""
    producer_epoch = rows.ints("producer_epoch")[index]
    offset = (np.cumsum(begins(stream)) - 1) * APART
    streams_apart = producer_epoch + offset
    late: Bools = streams_apart < np.maximum.accumulate(streams_apart)
    return late


def _follows(rows: Rows, index: Ints, stream: Ints, eras: Ints) -> Bools:
    """Return the batches that continue the sequence of their stream; epochs never decrease here."""
    first = begins(stream)
    producer_epoch, last_epoch = (
        rows.ints(name)[index] for name in ("producer_epoch", "last_producer_epoch")
    )
    is_new = producer_epoch > before(last_epoch, 0)
    is_cut = eras[index] != before(eras[index], -1)  # truncated batches do not raise the maximum
    anew = first | is_new | is_cut | (producer_epoch != last_epoch)
    base, reached = _reached(rows, index, anew)
    is_transactional = rows.ints("is_transactional")[index]
    goes_on = ~is_new & (base == before(reached, 0) % SEQUENCES)
    goes_on = np.where(base < 0, ~is_new & (before(base, 0) < 0), goes_on)
    follows: Bools = goes_on | (is_new & (base == 0) & (is_transactional == 1))
    for name in ("is_transactional", "leader_epoch"):
        values = rows.ints(name)[index]
        follows &= values == before(values, 0)
    follows &= rows.ints("base_offset")[index] > before(rows.ints("last_offset")[index], 0)
    follows &= apart(rows, index, first) & ~is_cut
    return follows & ~first


def _reached(rows: Rows, index: Ints, anew: Bools) -> tuple[Ints, Ints]:
    """Return each batch's sequence, and the highest sequence of its stream so far.

    A batch that occurs twice does not lower the maximum. Sequences continue above 2^31 here, except
    for batches that start `anew`, which keep theirs.
    """
    base, after = _bases(rows, index), _sequences_after(rows, index)
    step = (base - before(after, 0) + _HALF) % SEQUENCES - _HALF
    length = np.where(rows.of_stream(Stream.PRODUCER)[index], (after - base) % SEQUENCES, 0)
    length = np.where(rows.is_event[index], rows.ints("record_count")[index], length)
    moved = np.cumsum(np.where(anew, 0, step + length))
    part = np.cumsum(anew) - 1
    heads = np.flatnonzero(anew)
    reached = np.where(anew, base + length, 0)[heads][part] + moved - moved[heads][part]
    largest = np.maximum.accumulate(reached + part * APART) - part * APART
    return base, np.where(base < 0, base, largest)


def _bases(rows: Rows, index: Ints) -> Ints:
    """Return the first sequences; -1 for batches without sequences."""
    numbered = ~rows.texts("topic").are(UNNUMBERED)[index]
    return np.where(numbered, rows.ints("base_sequence")[index], NO_SEQUENCE)


def _sequences_after(rows: Rows, index: Ints) -> Ints:
    """Return the sequence after each batch or folded run; -1 for those without sequences."""
    base, count = _bases(rows, index), rows.ints("record_count")[index]
    after = np.where(base == NO_SEQUENCE, NO_SEQUENCE, (base + count) % SEQUENCES)
    return np.where(rows.is_event[index], after, rows.ints("next_sequence")[index])


def folded_producers(rows: Rows, index: Ints, heads: Ints) -> dict[str, Any]:
    """Return the columns of folded runs of the batches `index`; runs begin at `heads`."""
    tails = np.concatenate([heads[1:], [len(index)]]) - 1
    begin, end = index[heads], index[tails]
    return {
        "first": begin,
        "last": end,
        "events": np.add.reduceat(rows.ints("events")[index], heads),
        "producer_id": rows.ints("producer_id")[end],
        "producer_epoch": rows.ints("producer_epoch")[begin],
        "last_producer_epoch": rows.ints("last_producer_epoch")[end],
        "base_sequence": _bases(rows, begin),
        "next_sequence": _sequences_after(rows, end),
        "record_count": np.add.reduceat(rows.ints("record_count")[index], heads),
        "is_transactional": rows.ints("is_transactional")[begin],
        "base_offset": rows.ints("base_offset")[begin],
        "last_offset": rows.ints("last_offset")[end],
        "leader_epoch": rows.ints("leader_epoch")[end],
    }

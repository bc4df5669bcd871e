"""Folding: many regular events become one run in each of their streams (extra `spark`).

Folding only saves time, and changes no finding. A row is folded in all of its streams or in none.
It is folded if it is regular in its log, in its producer's sequence, in its transaction and in the
response to its client, as far as the table shows. All other rows stay single, one event per run; so
do rows that cannot be judged yet, such as a batch whose response is in another file.

A table of runs can be folded again, alone or with other tables, which may supply the missing rows.
"""

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np

from mockbroker.audit.folding.folding_calls import Calls, settled_calls
from mockbroker.audit.folding.folding_logs import (
    APART,
    LogLinks,
    folded_logs,
    log_links,
)
from mockbroker.audit.folding.folding_producers import (
    ProducerLinks,
    folded_producers,
    producer_links,
)
from mockbroker.audit.folding.folding_rows import (
    NULL,
    Bools,
    Ints,
    Rows,
    before,
)
from mockbroker.audit.folding.folding_transactions import (
    WholeTransactions,
    folded_transactions,
    whole_transactions,
)
from mockbroker.audit.runs.run import Stream, StreamKey
from mockbroker.audit.runs.run_table import joined, run_schema

pa: Any = import_module("pyarrow")

NOTHING: Final[frozenset[StreamKey]] = frozenset()
_CUTTING: Final = ("leader", "topic_created", "topic_deleted", "log_start", "truncation", "event")
"""Kinds of events that no fold spans, in the partition or (if the event has none) in all of
them."""


def fold(table: Any, unfolded: Collection[StreamKey] = NOTHING) -> Any:
    """Return an equivalent table with fewer runs; rows of `unfolded` streams are not folded.

    `table` has the columns of `run_schema`, with any chunks and dictionaries.
    """
    rows = Rows(joined([table]))
    if not rows.count:
        return rows.table
    eras = _eras(rows)
    calls = settled_calls(rows)
    logs, producers = log_links(rows, eras), producer_links(rows, eras)
    is_regular = _regular(rows, logs, producers, calls) & ~_are_unfolded(rows, unfolded)
    transactions = whole_transactions(rows, calls, is_regular)
    is_folded = _folded(rows, is_regular, transactions)
    gone = _gone(rows, calls, is_folded)
    singles = rows.table.filter(pa.array(rows.is_event & ~is_folded & ~gone))
    return pa.concat_tables(
        [
            singles,
            _of_logs(rows, logs, is_folded),
            _of_producers(rows, producers, is_folded),
            _of_transactions(rows, transactions),
        ]
    )


def _eras(rows: Rows) -> Ints:
    """Number the intervals between events that folds must not span."""
    seq = rows.ints("first_seq")
    eras = np.zeros(rows.count, np.int64)
    cuts = rows.is_event & rows.texts("kind").are(*_CUTTING)
    if not cuts.any():
        return eras
    placed = rows.places.codes >= 0
    eras += np.searchsorted(np.sort(seq[cuts & ~placed]), seq, side="right")
    keys = rows.places.codes * APART
    at = np.sort((keys + seq)[cuts & placed])
    here = np.searchsorted(at, keys + seq, side="right") - np.searchsorted(at, keys, side="left")
    return eras + np.where(placed, here, 0)


def _regular(rows: Rows, logs: LogLinks, producers: ProducerLinks, calls: Calls) -> Bools:
    """Return the rows without any irregularity, apart from their transactions."""
    in_log = np.zeros(rows.count, bool)
    in_log[logs.members] = logs.is_regular
    in_sequence = rows.producers < 0
    in_sequence[producers.members] = producers.is_regular
    appends = rows.of_kind("append") & (rows.ints("is_duplicate") == 0)
    is_regular: Bools = rows.of_kind("transaction") | (rows.of_kind("marker") & in_log)
    is_regular |= appends & calls.is_settled & in_log & in_sequence & ~_came_again(rows, appends)
    return is_regular


def _came_again(rows: Rows, appends: Bools) -> Bools:
    """Return the batches without a producer whose checksum occurs again in the partition."""
    crc = rows.ints("crc")
    again = np.zeros(rows.count, bool)
    index = np.flatnonzero(appends & (rows.producers < 0) & (crc != NULL))
    keys = rows.places.codes[index] * (1 << 32) + crc[index]
    _, which, many = np.unique(keys, return_inverse=True, return_counts=True)
    again[index] = many[which] > 1
    return again


def _are_unfolded(rows: Rows, unfolded: Collection[StreamKey]) -> Bools:
    """Return the rows of streams that must not be folded."""
    wanted = np.zeros(rows.count, bool)
    topics, partitions, ids = rows.texts("topic"), rows.ints("partition"), rows.ints("producer_id")
    for stream in unfolded:
        here = rows.is_event.copy()  # a key without columns names all streams
        if stream.topic is not None:
            here &= topics.are(stream.topic) & (partitions == stream.partition)
        if stream.producer_id is not None:
            here &= ids == stream.producer_id
        wanted |= here
    return wanted


def _folded(rows: Rows, is_regular: Bools, transactions: WholeTransactions) -> Bools:
    """Return the events that are folded."""
    in_clean = np.zeros(rows.count, bool)
    in_clean[transactions.rows] = transactions.is_clean[transactions.unit]
    untransactional = rows.of_kind("append") & (rows.ints("is_transactional") != 1)
    folded: Bools = rows.is_event & is_regular & (in_clean | untransactional)
    return folded


def _gone(rows: Rows, calls: Calls, is_folded: Bools) -> Bools:
    """Return the requests and responses that are folded together with their appends."""
    gone = np.zeros(rows.count, bool)
    for partners in (calls.request, calls.answer, calls.ended):
        those = partners[is_folded]
        gone[those[those >= 0]] = True
    return gone


def _of_logs(rows: Rows, logs: LogLinks, is_folded: Bools) -> Any:
    kept = (is_folded | rows.of_stream(Stream.LOG))[logs.members]
    is_head = ~logs.follows | ~before(kept, False)
    heads = np.flatnonzero(is_head[kept])
    if not len(heads):
        return run_schema().empty_table()
    return _table(rows, Stream.LOG, folded_logs(rows, logs, kept, heads))


def _of_producers(rows: Rows, producers: ProducerLinks, is_folded: Bools) -> Any:
    folded = is_folded[producers.members]
    # Markers of regular transactions do not interrupt a run.
    rest = producers.is_batch | ~folded
    index, follows = producers.members[rest], producers.follows[rest]
    kept = (producers.is_batch & (folded | rows.of_stream(Stream.PRODUCER)[producers.members]))[
        rest
    ]
    is_head = ~follows | ~before(kept, False)
    heads = np.flatnonzero(is_head[kept])
    if not len(heads):
        return run_schema().empty_table()
    return _table(rows, Stream.PRODUCER, folded_producers(rows, index[kept], heads))


def _of_transactions(rows: Rows, transactions: WholeTransactions) -> Any:
    if not transactions.is_clean.any():
        return run_schema().empty_table()
    return _table(rows, Stream.TRANSACTION, folded_transactions(rows, transactions))


_TEXTS_OF: Final[Mapping[Stream, tuple[tuple[str, str], ...]]] = {
    Stream.LOG: (("topic", "first"),),
    Stream.PRODUCER: (("topic", "first"),),
    Stream.TRANSACTION: (
        ("transactional_id", "first"),
        ("state_before", "first"),
        ("state_after", "last"),
    ),
}
"""Columns of texts in folded runs, and the event from which they come."""


def _table(rows: Rows, stream: Stream, columns: dict[str, Any]) -> Any:
    """Build the table of folded runs; `first` and `last` are the rows at their edges."""
    first, last = columns.pop("first"), columns.pop("last")
    columns["first_seq"] = rows.ints("first_seq")[first]
    columns["last_seq"] = rows.ints("last_seq")[last]
    columns["first_time_ms"] = rows.ints("first_time_ms")[first]
    columns["last_time_ms"] = rows.ints("last_time_ms")[last]
    if stream is not Stream.TRANSACTION:
        columns["partition"] = rows.ints("partition")[first]
    edges = {"first": first, "last": last}
    texts = dict(_TEXTS_OF[stream])
    arrays: list[Any] = []
    for field in run_schema():
        if field.name in {"stream", "kind"}:
            same = pa.repeat(pa.scalar(0, pa.int32()), len(first))
            arrays.append(pa.DictionaryArray.from_arrays(same, [stream.value]))
        elif field.name in texts:
            arrays.append(rows.table[field.name].combine_chunks().take(edges[texts[field.name]]))
        elif field.name in columns:
            values = columns[field.name]
            arrays.append(pa.array(values, mask=values == NULL).cast(field.type))
        else:
            arrays.append(pa.nulls(len(first), field.type))
    return pa.table(arrays, schema=run_schema())

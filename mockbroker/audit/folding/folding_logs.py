"""Folding of logs: batches and markers that continue where the previous one ended."""

from typing import Any, Final, NamedTuple

import numpy as np

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

_NEVER: Final = int(np.iinfo(np.int64).max)
APART: Final = 1 << 44
"""More than any `seq` or offset: keeps streams apart in one array."""


class LogLinks(NamedTuple):
    """Members of the logs in order, by partition, and which of them are regular."""

    members: Ints
    """The rows of members: batches, markers and folded runs."""
    begins_log: Bools
    """Of each member: whether it is the first of its partition."""
    follows: Bools
    """… whether it continues the previous one; undefined for a first one."""
    is_regular: Bools
    """… whether it is regular as far as its log shows."""


def log_links(rows: Rows, eras: Ints) -> LogLinks:
    """Compare each batch and marker with its predecessor in the log, within its era."""
    appended = rows.of_kind("append") & (rows.ints("is_duplicate") != 1)
    folded = rows.of_stream(Stream.LOG)
    members = (appended | rows.of_kind("marker") | folded) & (rows.places.codes >= 0)
    index = in_streams(rows, members, rows.places.codes)
    place = rows.places.codes[index]
    first = begins(place)
    is_fold = folded[index]
    base, last = rows.ints("base_offset")[index], rows.ints("last_offset")[index]
    stable_before, stable_after = _stable_edges(rows, index, is_fold)
    follows = ~first & (base == before(last, 0) + 1)
    for name in ("leader_epoch", "log_start_offset"):
        values = rows.ints(name)[index]
        follows &= values == before(values, 0)
    follows &= stable_before >= before(stable_after, 0)
    follows &= apart(rows, index, first) & (eras[index] == before(eras[index], 0))
    sound = _is_sound(rows, index) | is_fold
    sound &= ~_beyond_open(rows, index, first, stable_after)
    sound &= rows.ints("leader_epoch")[index] >= _epochs_reached(rows, index)
    cut = _cut_off(rows, index, first, follows)
    return LogLinks(index, first, follows, sound & (follows | first) & ~cut)


def _stable_edges(rows: Rows, index: Ints, is_fold: Bools) -> tuple[Ints, Ints]:
    after = rows.ints("last_stable_offset")[index]
    return np.where(is_fold, rows.ints("base_stable_offset")[index], after), after


def apart(rows: Rows, index: Ints, first: Bools) -> Bools:
    """Return the members that begin after all earlier ones in their stream have ended."""
    last = rows.ints("last_seq")[index]
    stream = np.cumsum(first) - 1
    reach = np.maximum.accumulate(last + stream * APART) - stream * APART
    return rows.ints("first_seq")[index] > before(reach, -1)


def _epochs_reached(rows: Rows, index: Ints) -> Ints:
    """Return the highest leader epoch of the partition up to each member."""
    elected = rows.of_kind("leader") & (rows.places.codes >= 0)
    leader_epoch = rows.ints("leader_epoch")
    in_log = np.zeros(rows.count, bool)
    in_log[index] = True
    those = in_streams(rows, in_log | elected, rows.places.codes)
    stream = (np.cumsum(begins(rows.places.codes[those])) - 1) * APART
    reached = np.full(rows.count, NULL)
    reached[those] = np.maximum.accumulate(np.maximum(leader_epoch[those], -1) + stream) - stream
    return np.where(leader_epoch[index] == NULL, NULL, reached[index])


def _is_sound(rows: Rows, index: Ints) -> Bools:
    """Return the events without a contradiction in themselves."""
    base, last = rows.ints("base_offset")[index], rows.ints("last_offset")[index]
    end, count = rows.ints("log_end_offset")[index], rows.ints("record_count")[index]
    is_marker = rows.of_kind("marker")[index]
    size = last - base + 1
    sound: Bools = (size == np.where(is_marker, 1, count)) & (base >= 0) & (last < APART)
    sound &= (end == last + 1) | (end == NULL)
    return sound


def _beyond_open(rows: Rows, index: Ints, first: Bools, stable: Ints) -> Bools:
    """Return the members whose last stable offset is beyond the start of an open transaction."""
    count = len(index)
    beyond = np.zeros(count, bool)
    begin, end = _open_spans(rows, index, first)
    if not len(begin):
        return beyond
    reach = np.maximum.accumulate(end)
    position = np.arange(count)
    earliest = np.searchsorted(reach, position, side="right")
    at = np.minimum(earliest, len(begin) - 1)
    is_open: Bools = (earliest < len(begin)) & (begin[at] <= position)
    offset = rows.ints("base_offset")[index[begin[at]]]
    is_open &= (stable > offset) & (stable != NULL)
    return is_open


def _open_spans(rows: Rows, index: Ints, first: Bools) -> tuple[Ints, Ints]:
    """Return the positions at which transactions begin and end (if never: the end of the log).

    Each begins with a producer's first transactional batch in a partition after its last marker.
    """
    events = rows.is_event[index] & (rows.producers[index] >= 0)
    is_marker = rows.of_kind("marker")[index]
    those = np.flatnonzero(events & (is_marker | (rows.ints("is_transactional")[index] == 1)))
    stream = (
        rows.places.codes[index[those]] * max(rows.producer_count, 1) + rows.producers[index[those]]
    )
    those = those[np.argsort(stream, kind="stable")]
    stream = np.sort(stream, kind="stable")
    new = begins(stream)
    marks = is_marker[those]
    opens = ~marks & (new | before(marks, True))
    if not opens.any():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # The next marker of the same stream, or the end of the partition's members.
    position = np.arange(len(those))
    marker_at = np.where(marks, position, len(those))
    following = np.minimum.accumulate(marker_at[::-1])[::-1]
    bound = np.minimum(following, len(those) - 1)
    is_ended = (following < len(those)) & (stream[bound] == stream)
    starts = np.flatnonzero(first)
    part_end = np.concatenate([starts[1:], [len(index)]])[np.cumsum(first) - 1]
    end = np.where(is_ended, those[bound], part_end[those])
    begin, end = those[opens], end[opens]
    order = np.argsort(begin)
    return begin[order], end[order]


def _cut_off(rows: Rows, index: Ints, first: Bools, follows: Bools) -> Bools:
    """Return the members whose offsets were truncated later.

    A batch below the end of the log is proof of that, and so is a truncation event.
    """
    base, last = rows.ints("base_offset")[index], rows.ints("last_offset")[index]
    part = np.cumsum(first) - 1
    kept = np.full(len(index) + 1, _NEVER)
    back = np.flatnonzero(~first & ~follows & (base <= before(last, 0)))
    kept[back] = base[back] + part[back] * APART
    cuts = np.flatnonzero(rows.of_kind("truncation") & (rows.places.codes >= 0))
    if len(cuts) and len(index):
        starts = rows.places.codes[index[first]]
        at = np.minimum(np.searchsorted(starts, rows.places.codes[cuts]), len(starts) - 1)
        cuts, at = cuts[known := starts[at] == rows.places.codes[cuts]], at[known]
        when = part * APART + rows.ints("first_seq")[index]
        position = np.searchsorted(when, at * APART + rows.ints("first_seq")[cuts])
        np.minimum.at(kept, position, rows.ints("log_end_offset")[cuts] + at * APART)
    # The smallest offset of any later truncation; in other logs it is never smaller.
    later = np.minimum.accumulate(kept[::-1])[::-1][1:]
    return last + part * APART >= later


def folded_logs(rows: Rows, links: LogLinks, is_folded: Bools, heads: Ints) -> dict[str, Any]:
    """Return the columns of folded runs: `heads` are the positions at which they begin.

    `is_folded` is true for each member that is in a run.
    """
    index = links.members[is_folded]
    tails = np.concatenate([heads[1:], [len(index)]]) - 1
    is_fold = rows.of_stream(Stream.LOG)[index]
    stuck = _stuck(rows, index, is_fold, heads)
    begin, end = index[heads], index[tails]
    return {
        "first": begin,
        "last": end,
        "events": np.add.reduceat(rows.ints("events")[index], heads),
        "base_offset": rows.ints("base_offset")[begin],
        "last_offset": rows.ints("last_offset")[end],
        "leader_epoch": rows.ints("leader_epoch")[end],
        "log_start_offset": rows.ints("log_start_offset")[end],
        "high_watermark": rows.ints("high_watermark")[end],
        "log_end_offset": rows.ints("log_end_offset")[end],
        "last_stable_offset": rows.ints("last_stable_offset")[end],
        "base_stable_offset": _stable_edges(rows, index, is_fold)[0][heads],
        "stuck_since_seq": stuck["seq"][tails],
        "stuck_since_ms": stuck["ms"][tails],
        "longest_ms": np.maximum.reduceat(stuck["longest"], heads),
    }


def _stuck(rows: Rows, index: Ints, is_fold: Bools, heads: Ints) -> dict[str, Ints]:
    """Compute since when the last stable offset has been stuck below the high watermark."""
    stable_before, stable_after = _stable_edges(rows, index, is_fold)
    first_ms, last_ms = rows.ints("first_time_ms")[index], rows.ints("last_time_ms")[index]
    below = (stable_after < rows.ints("high_watermark")[index]) & (stable_after != NULL)
    own_seq = np.where(is_fold, rows.ints("stuck_since_seq")[index], rows.ints("first_seq")[index])
    own_ms = np.where(is_fold, rows.ints("stuck_since_ms")[index], first_ms)
    own_seq, own_ms = np.where(below, own_seq, NULL), np.where(below, own_ms, NULL)
    own_longest = np.where(is_fold, rows.ints("longest_ms")[index], 0)
    is_head = np.zeros(len(index), bool)
    is_head[heads] = True
    stays = ~is_head & before(below, False) & (stable_before == before(stable_after, 0))
    goes_on = stays & below & (stable_before == stable_after)
    chain = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(index))))
    seq, since = own_seq[chain], own_ms[chain]
    waited = np.where(
        before(below, False) & ~is_head & ~goes_on,
        first_ms - before(since, 0) + np.where(stays, own_longest, 0),
        0,
    )
    still = np.where(below, last_ms - since, 0)
    longest = np.maximum(np.maximum(own_longest, waited), still)
    return {"seq": seq, "ms": since, "longest": np.maximum(longest, 0)}

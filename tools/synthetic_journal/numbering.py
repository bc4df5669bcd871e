"""Numbering of events: order, offsets, sequences and last stable offsets."""

from dataclasses import dataclass, field

import numpy as np

from tools.synthetic_journal.cast import Cast, Ints
from tools.synthetic_journal.scene import EventKind, Scene, State

_SEQUENCE_MASK = (1 << 31) - 1
_SOON_WRAPPING = (1 << 31) - 500
_BEGUN_AT = 1_000
_NEVER = np.iinfo(np.int64).max


@dataclass(slots=True)
class Tally:
    """State of a journal between two scenes."""

    cast: Cast
    seq: int = 0
    call: int = 0
    next_offset: Ints = field(init=False)
    """Of each place."""
    next_sequence: Ints = field(init=False)
    """Next sequences of each producer at each place; the first ones soon wrap to zero."""
    open_from: Ints = field(init=False)
    """For each place: the start of the first transaction that never ends."""
    leader_epoch: Ints = field(init=False)

    def __post_init__(self) -> None:
        places = self.cast.places
        self.next_offset = np.full(places, _BEGUN_AT, np.int64)
        producers = self.cast.producers + self.cast.extra
        self.next_sequence = np.zeros(producers * places, np.int64)
        if self.cast.idempotent:
            self.next_sequence[:places] = _SOON_WRAPPING
        self.open_from = np.full(places, _NEVER)
        self.leader_epoch = np.zeros(places, np.int64)


@dataclass(slots=True)
class Numbered:
    """The rows of a scene in order, and the row of each event (-1 if left out)."""

    columns: dict[str, Ints]
    row_of: Ints
    seq_of: Ints


def numbered(scene: Scene, tally: Tally) -> Numbered:
    """Number the events of a scene, and advance the tally."""
    order = np.argsort(scene.time, kind="stable")
    order = order[: int(np.isfinite(scene.time).sum())]
    row_of = np.full(len(scene.time), -1, np.int64)
    row_of[order] = np.arange(len(order))
    rows = {name: values[order] for name, values in scene.columns.items()}
    for name in ("answers", "like"):
        rows[name] = np.where(rows[name] >= 0, row_of[rows[name]], -1)
    rows["seq"] = tally.seq + 1 + np.arange(len(order))
    tally.seq += len(order)
    seq_of = np.where(row_of >= 0, rows["seq"][row_of] if len(order) else 0, -1)
    _number_calls(rows, tally)
    _number_sequences(rows, tally)
    _number_offsets(rows, tally)
    _follow_appends(rows)
    return Numbered(rows, row_of, seq_of)


def _number_calls(rows: dict[str, Ints], tally: Tally) -> None:
    kind = rows["kind"]
    calls = (kind == EventKind.APPEND) | (
        (kind == EventKind.TRANSACTION) & (rows["after"] < State.COMPLETE_COMMIT)
    )
    calls |= (kind == EventKind.ANSWER) & (rows["answers"] < 0)
    rows["call"] = np.where(calls, tally.call + np.cumsum(calls), -1)
    tally.call += int(calls.sum())


def _starts(keys: Ints) -> Ints:
    """Return the first row of the same key for each row of sorted keys."""
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    return np.maximum.accumulate(np.where(first, np.arange(len(keys)), 0))


def _number_sequences(rows: dict[str, Ints], tally: Tally) -> None:
    """Number the records of each producer at each place, from 0 in each epoch."""
    cast = tally.cast
    base = np.full(len(rows["seq"]), -1, np.int64)
    counts = (rows["kind"] == EventKind.APPEND) & (rows["like"] < 0) & (rows["is_duplicate"] == 0)
    counts &= rows["sequence"] < 0
    index = np.flatnonzero(counts)
    if len(index):
        stream = rows["producer"][index] * cast.places + rows["place"][index]
        order = np.argsort(stream, kind="stable")
        index, stream = index[order], stream[order]
        shift, count = rows["shift"][index], rows["count"][index]
        before = np.cumsum(count + shift) - count
        start = _starts(stream)
        sequence = before - (before - shift)[start] + tally.next_sequence[stream]
        ends = np.flatnonzero(np.concatenate([stream[1:] != stream[:-1], [True]]))
        tally.next_sequence[stream[ends]] = (sequence + count)[ends]
        bumping = cast.are_bumping(rows["producer"][index])
        anew = _starts(stream * _STREAMS_APART + rows["transaction"][index] % _STREAMS_APART)
        sequence = np.where(bumping, sequence - sequence[anew] + shift[anew], sequence)
        base[index] = sequence & _SEQUENCE_MASK
    same = np.flatnonzero(rows["like"] >= 0)
    base[same] = base[rows["like"][same]]
    rows["base_sequence"] = np.where(rows["sequence"] >= 0, rows["sequence"], base)


_STREAMS_APART = 1 << 40


def _number_offsets(rows: dict[str, Ints], tally: Tally) -> None:
    kind = rows["kind"]
    for name in ("base_offset", "end_offset", "stable_offset", "leader_epoch"):
        rows[name] = np.full(len(kind), -1, np.int64)
    in_log = (
        (kind == EventKind.APPEND) | (kind == EventKind.MARKER) | (kind == EventKind.TRUNCATION)
    )
    in_log |= kind == EventKind.LEADER
    index = np.flatnonzero(in_log)
    place = rows["place"][index]
    order = np.argsort(place, kind="stable")
    index, place = index[order], place[order]
    bounds = np.searchsorted(place, np.arange(tally.cast.places + 1))
    for each in range(tally.cast.places):
        here = index[bounds[each] : bounds[each + 1]]
        if len(here):
            _number_place(rows, here, each, tally)


def _number_place(rows: dict[str, Ints], here: Ints, place: int, tally: Tally) -> None:
    """Assign the offsets of a place's log; a truncation goes back."""
    kind = rows["kind"][here]
    grows = np.where(kind == EventKind.APPEND, rows["count"][here], kind == EventKind.MARKER)
    is_stored = (rows["is_duplicate"][here] == 0) & (rows["is_hidden"][here] == 0)
    grows = np.where(is_stored, grows, 0)
    cut = kind == EventKind.TRUNCATION
    moves = np.where(cut, -rows["count"][here], grows + rows["jump"][here])
    end = tally.next_offset[place] + np.cumsum(moves)
    rows["end_offset"][here] = end
    rows["base_offset"][here] = np.where(cut, end, end - grows)
    repeats = here[rows["is_duplicate"][here] == 1]
    rows["base_offset"][repeats] = rows["base_offset"][rows["like"][repeats]]
    epochs = tally.leader_epoch[place] + np.cumsum(kind == EventKind.LEADER)
    rows["leader_epoch"][here] = epochs
    tally.leader_epoch[place] = epochs[-1]
    tally.next_offset[place] = end[-1]
    rows["stable_offset"][here] = _stable_offsets(rows, here, place, tally)


def _stable_offsets(rows: dict[str, Ints], here: Ints, place: int, tally: Tally) -> Ints:
    """Return the start of the earliest open transaction after each row, or else the log's end."""
    kind = rows["kind"][here]
    end = rows["end_offset"][here]
    key = rows["producer"][here] * _STREAMS_APART + rows["transaction"][here]
    writes = (kind == EventKind.APPEND) & (rows["transaction"][here] >= 0)
    writes &= (rows["is_duplicate"][here] == 0) & (rows["is_hidden"][here] == 0)
    opened, first = np.unique(key[writes], return_index=True)
    begins = np.flatnonzero(writes)[first]
    ends = np.full(len(opened), len(here))
    closes = np.flatnonzero(kind == EventKind.MARKER)[::-1]
    which = np.searchsorted(opened, key[closes])
    known = (which < len(opened)) & (opened[np.minimum(which, len(opened) - 1)] == key[closes])
    ends[which[known]] = closes[known]
    by_begin = np.argsort(begins)
    begins, reach = begins[by_begin], np.maximum.accumulate(ends[by_begin]) if len(ends) else ends
    row = np.arange(len(here))
    earliest = np.searchsorted(reach, row, side="right")
    is_open = (earliest < len(begins)) & (
        np.concatenate([begins, [len(here)]])[np.minimum(earliest, len(begins))] <= row
    )
    at = np.concatenate([rows["base_offset"][here][begins], [_NEVER]])
    stable = np.where(is_open, at[np.minimum(earliest, len(begins))], end)
    stable = np.minimum(stable, tally.open_from[place])
    never = begins[reach == len(here)][:1]
    if len(never):
        hangs_from = int(rows["base_offset"][here][never[0]])
        tally.open_from[place] = min(tally.open_from[place], hangs_from)
    return np.where(rows["is_shown"][here] == 1, end, stable)


def _follow_appends(rows: dict[str, Ints]) -> None:
    """Copy columns of appends to the answers to them."""
    index = np.flatnonzero(rows["answers"] >= 0)
    asked = rows["answers"][index]
    for name in ("call", "base_sequence", "base_offset", "epoch_shift"):
        rows[name][index] = rows[name][asked]

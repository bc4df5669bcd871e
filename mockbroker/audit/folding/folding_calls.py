"""Appends that were acknowledged as they were made; their requests and responses fold with them."""

from typing import Final, NamedTuple

import numpy as np

from mockbroker.audit.folding.folding_rows import (
    NULL,
    Bools,
    Ints,
    Rows,
)

_PRODUCE: Final = "Produce"
_END_TXN: Final = "EndTxn"


class Calls(NamedTuple):
    """Rows of requests and responses by row of their append; -1 if there is none."""

    is_settled: Bools
    """Appends with a known request and a matching response, or without a client."""
    request: Ints
    """The request of a settled append."""
    answer: Ints
    """The answer of a settled append; none with acks=0."""
    ended: Ints
    """The NONE response of the EndTxn that requested a transition to PrepareX."""


def settled_calls(rows: Rows) -> Calls:
    """Find the request and the response of each append.

    A call is settled if it has exactly one batch in a partition, one request before it, and one
    response after it with the batch's offset and without an error; or no response, if the request
    has acks=0.
    """
    of_produce = rows.is_event & rows.texts("api").are(_PRODUCE) & (rows.ints("call") != NULL)
    appends = rows.of_kind("append")
    is_settled = appends & ~of_produce
    request, answer = np.full(rows.count, -1, np.int64), np.full(rows.count, -1, np.int64)
    index = np.flatnonzero(appends & of_produce)
    if len(index):
        keys = _Keys(rows, of_produce)
        mine = keys.of(index)
        asked, is_asked = keys.partners(mine, rows.of_kind("request"))
        answers, answer_counts = keys.partners(mine, rows.of_kind("answer"))
        lost = keys.partners(mine, rows.of_kind("lost"))[1]
        good = _are_different(mine) & (lost == 0) & (is_asked == 1)
        good &= _was_asked(rows, index, asked)
        wants_none = (answer_counts == 0) & (rows.ints("acks")[asked] == 0)
        good &= wants_none | ((answer_counts == 1) & _is_right_answer(rows, index, answers))
        is_settled[index] = good
        request[index] = np.where(good, asked, -1)
        answer[index] = np.where(good & ~wants_none, answers, -1)
    return Calls(is_settled, request, answer, _ended(rows))


class _Keys:
    """Pairs of call and partition, as one number each."""

    def __init__(self, rows: Rows, of_produce: Bools) -> None:
        """Take the rows that have keys."""
        self._rows = rows
        self._of_produce = of_produce
        calls = rows.ints("call")
        self._first = int(calls[of_produce].min())
        self._places = len(rows.places.keys) + 1

    def of(self, index: Ints) -> Ints:
        """Return the keys of rows."""
        rows = self._rows
        call = (
            rows.ints("call")[index] - self._first
        )  # they are consecutive: the difference is small
        return call * self._places + rows.places.codes[index] + 1

    def partners(self, mine: Ints, others: Bools) -> tuple[Ints, Ints]:
        """Return for each key one of the other rows with the same key, and their number."""
        index = np.flatnonzero(others & self._of_produce)
        if not len(index):
            return np.zeros(len(mine), np.int64), np.zeros(len(mine), np.int64)
        keys = self.of(index)
        if not bool(np.all(keys[1:] >= keys[:-1])):
            order = np.argsort(keys, kind="stable")
            index, keys = index[order], keys[order]
        left = np.searchsorted(keys, mine, side="left")
        many = np.searchsorted(keys, mine, side="right") - left
        return index[np.minimum(left, len(index) - 1)], many


def _are_different(keys: Ints) -> Bools:
    """Return the keys that occur once."""
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    once = np.ones(len(keys), bool)
    once[order[1:][same]] = False
    once[order[:-1][same]] = False
    return once


def _was_asked(rows: Rows, appends: Ints, requests: Ints) -> Bools:
    seq = rows.ints("first_seq")
    good = seq[requests] < seq[appends]
    for name in ("producer_id", "producer_epoch", "base_sequence", "record_count"):
        values = rows.ints(name)
        good &= values[requests] == values[appends]
    return good


def _is_right_answer(rows: Rows, appends: Ints, answers: Ints) -> Bools:
    base, seq = rows.ints("base_offset"), rows.ints("first_seq")
    good: Bools = (base[answers] == base[appends]) & (seq[answers] > seq[appends])
    good &= rows.texts("error").are("NONE")[answers]
    return good


def _ended(rows: Rows) -> Ints:
    """Match transitions to PrepareX with the responses to the EndTxn requests that caused them."""
    ended = np.full(rows.count, -1, np.int64)
    api, call = rows.texts("api"), rows.ints("call")
    of_end = rows.is_event & api.are(_END_TXN) & (call != NULL)
    asked = np.flatnonzero(
        of_end
        & rows.of_kind("transaction")
        & rows.texts("state_after").are("PrepareCommit", "PrepareAbort")
    )
    others = np.flatnonzero(of_end & rows.of_kind("answer"))
    if not len(asked) or not len(others):
        return ended
    calls, first, many = np.unique(call[others], return_index=True, return_counts=True)
    at = np.minimum(np.searchsorted(calls, call[asked]), len(calls) - 1)
    answer = others[first[at]]
    commits = rows.texts("state_after").are("PrepareCommit")[asked]
    marker = rows.texts("marker")
    good = (calls[at] == call[asked]) & (many[at] == 1)
    good &= rows.texts("error").are("NONE")[answer]
    good &= np.where(commits, marker.are("COMMIT")[answer], marker.are("ABORT")[answer])
    good &= rows.ints("producer_id")[answer] == rows.ints("producer_id")[asked]
    ended[asked] = np.where(good, answer, -1)
    return ended

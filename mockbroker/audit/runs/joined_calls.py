"""Regular calls: a batch that was requested, appended and acknowledged becomes one run.

Most rows of most journals belong to such calls. Joining them by columns saves two runs of three,
and needs no state: a call that is cut by the end of a table stays three rows, which rules join.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.audit.runs.column_arrays import Bools, Ints, are, codes, numbers

_PRODUCE: Final = "Produce"
_NO_ERROR: Final = "NONE"
_SAME: Final = ("connection", "client_id")
"""Columns in which an append has to be like its request."""


class JoinedCalls(NamedTuple):
    """Rows of regular calls."""

    request: Ints
    """Of an append: the row of its request; else -1."""
    answer: Ints
    """Of an append: the row of its response; else -1."""
    is_gone: Bools
    """True for these requests and responses."""


def joined_calls(columns: Mapping[str, Any]) -> JoinedCalls:
    """Find the calls with one request, one append and one response without an error.

    Calls of producers without an id stay as they are: some rules compare their requests.

    `columns` are Arrow arrays of all rows in order, those of texts with dictionaries.
    """
    kind = columns["kind"]
    count = len(kind)
    request, answer = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    is_gone = np.zeros(count, bool)
    call, partition = numbers(columns["call"]), numbers(columns["partition"])
    topic = codes(columns["topic"])
    of_calls = are(columns["api"], _PRODUCE) & (call >= 0) & (partition >= 0) & (topic >= 0)
    of_calls &= ~np.isin(topic, topic[are(kind, "topic_deleted")])
    rows = np.flatnonzero(of_calls)
    rows = rows[np.lexsort((topic[rows], partition[rows], call[rows]))]
    if len(rows) < 3:
        return JoinedCalls(request, answer, is_gone)
    keys = (call[rows], partition[rows], topic[rows])
    begins = np.concatenate([[True], np.any([each[1:] != each[:-1] for each in keys], axis=0)])
    starts = np.flatnonzero(begins)
    starts = starts[np.diff(np.append(starts, len(rows))) == 3]
    asked, appended, answered = rows[starts], rows[starts + 1], rows[starts + 2]
    good = are(kind, "request")[asked] & are(kind, "append")[appended]
    good &= are(kind, "answer")[answered] & are(columns["error"], _NO_ERROR)[answered]
    seq = columns["seq"].to_numpy()
    # Nothing is missing between them: another row may be of the call, or delete the topic.
    rank = np.cumsum(np.diff(seq, prepend=seq[0]) > 0)
    good &= seq[answered] - seq[asked] == rank[answered] - rank[asked]
    good &= numbers(columns["producer_id"])[asked] >= 0
    for name in _SAME:
        values = codes(columns[name]) if name == "client_id" else numbers(columns[name])
        good &= values[asked] == values[appended]
    request[appended[good]], answer[appended[good]] = asked[good], answered[good]
    is_gone[asked[good]] = is_gone[answered[good]] = True
    return JoinedCalls(request, answer, is_gone)

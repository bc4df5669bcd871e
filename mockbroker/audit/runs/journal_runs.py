"""Conversion of a journal's rows to runs of one event, for the rows that a rule needs."""

from collections.abc import Iterable, Iterator
from operator import attrgetter
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
_SAME: Final = [name for name in Run._fields if name in Entry._fields]
_API: Final = _SAME.index("api")
_BEFORE: Final = attrgetter(*_SAME[:_API])
_BEHIND: Final = attrgetter(*_SAME[_API + 2 :])
"""The columns of a run before and behind its API and error, which have names instead of values."""
_OF_OTHERS: Final = (None,) * (len(Run._fields) - len(_SAME))
"""The columns of other rows of the same call."""


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
    api, error = entry.api, entry.error
    names = (None if api is None else api.title, None if error is None else error.name)
    return Run._make((*_BEFORE(entry), *names, *_BEHIND(entry), *_OF_OTHERS))

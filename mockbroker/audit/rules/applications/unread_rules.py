"""COMMITTED_UNREAD: offsets that a group committed past records that it was never given."""

from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.applications.commit_rules import member_of
from mockbroker.audit.rules.applications.offset_spans import OffsetSpans, Span
from mockbroker.audit.rules.reader_rules import offset_of
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import offsets_text

_RULE: Final = RULES["COMMITTED_UNREAD"]
_STORED_MAX: Final = 10_000
"""Spans of records that are remembered in a partition; what is older is not judged."""


class _Stored(NamedTuple):
    """Records in a log, without markers between them."""

    first: int
    last: int


@dataclass(slots=True)
class _Reader:
    """A client that reads a partition."""

    begins: dict[int | None, Run] = field(default_factory=dict[int | None, Run])
    """By connection: its first request, or the first one after a truncation of what it had read, or
    after the removal of its group's offset. Another connection may be of another consumer."""
    fetch_offsets: dict[int | None, int] = field(default_factory=dict[int | None, int])
    """By connection: that of its last request."""
    read: OffsetSpans = field(default_factory=OffsetSpans)


class _Group(NamedTuple):
    """A group in a partition."""

    committed: Run | None
    clients: frozenset[str | None]
    """The clients that have committed for it."""


_NEW: Final = _Group(None, frozenset())


@dataclass(slots=True)
class _Place:
    """A partition: its records, its readers and its groups."""

    stored: deque[_Stored] = field(default_factory=lambda: deque[_Stored](maxlen=_STORED_MAX))
    log_start_offset: int = 0
    readers: dict[str | None, _Reader] = field(default_factory=dict[str | None, _Reader])
    groups: dict[str, _Group] = field(default_factory=dict[str, _Group])
    pending: dict[tuple[str, int | None], Run] = field(
        default_factory=dict[tuple[str, int | None], Run]
    )


class UnreadCommits:
    """Compares what members commit with the offsets in the responses that their clients got.

    A client that has read nothing of a partition may commit for others. Clients are known by their
    ids: what one of two clients with the same id has read, the other has read too.

    Scope: a partition. It needs all rows of the partition about batches, Fetch calls, committed
    offsets, truncations and log starts; and of no partition, the deletions of topics.
    """

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without groups."""
        self._context: Final = context
        self._places: Final[dict[tuple[str, int], _Place]] = {}

    def end(self) -> None:
        """Do nothing: commits are judged when they are made."""

    def _of(self, run: Run) -> _Place:
        place = self._places.get(run.place)
        if place is None:
            place = self._places[run.place] = _Place()
        return place

    # Records

    def _append(self, run: Run) -> None:
        stored = self._of(run).stored
        first, last = run.base_offset or 0, run.last_offset or 0
        before = stored[-1] if stored else None
        if before is None or before.last + 1 != first:
            stored.append(_Stored(first, last))
        else:
            stored[-1] = before._replace(last=last)

    def _delete_records(self, run: Run) -> None:
        self._of(run).log_start_offset = run.log_start_offset or 0

    def _truncate(self, run: Run) -> None:
        """Forget what is gone, and let readers begin anew if they were beyond it.

        Until a reader does, it may still commit where it was.
        """
        place, end = self._of(run), run.log_end_offset or 0
        while place.stored and place.stored[-1].last >= end:
            cut = place.stored.pop()
            if cut.first < end:
                place.stored.append(cut._replace(last=end - 1))
        for reader in place.readers.values():
            if reader.read.cut(end) or max(reader.fetch_offsets.values()) > end:
                reader.begins.clear()
        for name, group in place.groups.items():
            if group.committed is not None and (group.committed.base_offset or 0) > end:
                place.groups[name] = group._replace(committed=None)

    def _forget(self, run: Run) -> None:
        for place in [each for each in self._places if each[0] == run.topic]:
            del self._places[place]

    # Readers

    def _request(self, run: Run) -> None:
        if run.topic is None or run.partition is None:
            return
        reader = self._reader(run)
        reader.begins.setdefault(run.connection, run)
        reader.fetch_offsets[run.connection] = offset_of(run)

    def _answer(self, run: Run) -> None:
        if run.base_offset is None or run.last_offset is None:
            return
        reader = self._reader(run)
        if run.connection not in reader.fetch_offsets:
            reader.begins[run.connection] = run
            reader.fetch_offsets[run.connection] = run.base_offset
        # Offsets before the first batch are none: compaction has removed them.
        first = min(reader.fetch_offsets[run.connection], run.base_offset)
        reader.read.add(first, run.last_offset)

    def _reader(self, run: Run) -> _Reader:
        readers = self._of(run).readers
        reader = readers.get(run.client_id)
        if reader is None:
            reader = readers[run.client_id] = _Reader()
        return reader

    # Commits

    def _send(self, run: Run) -> None:
        self._of(run).pending[run.group or "", run.producer_id] = run

    def _remove(self, run: Run) -> None:
        """Forget a group's offset: its clients may begin elsewhere, over connections they had."""
        place = self._of(run)
        for client in place.groups.pop(run.group or "", _NEW).clients:
            reader = place.readers.get(client)
            if reader is not None:
                reader.begins.clear()

    def _commit(self, run: Run) -> None:
        place, name = self._of(run), run.group or ""
        asked = run
        if run.producer_id is not None:
            asked = place.pending.pop((name, run.producer_id), run)
        group = place.groups.get(name, _NEW)
        clients = group.clients
        if member_of(asked):
            clients |= {asked.client_id}
            own = place.readers.get(asked.client_id)
            if own is not None and own.begins:
                self._judge(run, asked, group._replace(clients=clients), own)
        place.groups[name] = _Group(run, clients)

    def _judge(self, run: Run, asked: Run, group: _Group, own: _Reader) -> None:
        place, begin = self._of(run), group.committed or _begin(own, run.base_offset or 0)
        first = max(_offset_of(begin), place.log_start_offset)
        unread = [(first, (run.base_offset or 0) - 1)]
        for client in group.clients:
            reader = place.readers.get(client)
            if reader is not None:
                unread = [part for span in unread for part in reader.read.missing(*span)]
        skipped = [
            (max(low, each.first), min(high, each.last))
            for low, high in unread
            for each in place.stored
            if each.first <= high and each.last >= low
        ]
        if skipped:
            evidence = begin.seq, asked.seq, run.seq
            self._context.report(_finding(run, asked, skipped, evidence))

    handlers: ClassVar[Handlers] = {
        "append": _append,
        "request Fetch": _request,
        "answer Fetch": _answer,
        "offset_pending": _send,
        "offset_committed": _commit,
        "offset_removed": _remove,
        "log_start": _delete_records,
        "truncation": _truncate,
        "topic_deleted": _forget,
    }


def _begin(reader: _Reader, committed: int) -> Run:
    """Return where the reader of a group without an offset began: the last place that it can be."""
    begins = sorted(reader.begins.values(), key=_offset_of)
    return next((each for each in reversed(begins) if _offset_of(each) <= committed), begins[0])


def _offset_of(begin: Run) -> int:
    """Return the offset that a group had committed, or at which its reader began."""
    return offset_of(begin) if begin.kind == "request" else begin.base_offset or 0


def _finding(run: Run, asked: Run, skipped: list[Span], evidence: tuple[int, ...]) -> Finding:
    first, last = skipped[0][0], skipped[-1][1]
    count = sum(high - low + 1 for low, high in skipped)
    which = offsets_text(first, last)
    if count != last - first + 1:
        which = f"{count} of {which}"
    return _RULE.finding_at(
        run,
        f"group {run.group!r} committed offset {run.base_offset} (client"
        f" {asked.client_id!r}), and no response to its clients had {which}",
        first,
        last,
        evidence,
    )

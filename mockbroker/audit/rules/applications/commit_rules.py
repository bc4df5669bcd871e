"""COMMITTED_BEYOND_LOG and COMMITTED_BACKWARDS: the offsets that groups commit."""

import json
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.reader_rules import offset_of
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

_BEYOND: Final = RULES["COMMITTED_BEYOND_LOG"]
_BACKWARDS: Final = RULES["COMMITTED_BACKWARDS"]

GroupPlace: TypeAlias = tuple[str, str, int]
"""Group, topic, partition."""
_Reader: TypeAlias = tuple[str | None, int | None]
"""Client id, connection."""


@dataclass(slots=True)
class _Position:
    """The position of a client's connection in a partition, as its Fetch requests show it.

    Consumers of several groups may have the same client id, but no connection in common.
    """

    fetch_offset: int
    broker: int | None
    back_to: int
    """The offset to which it went back, or at which it began."""
    back_from: int
    """The offset that it had before."""
    settled: set[str] = field(default_factory=set[str])
    """The groups that have committed since then what it explains, or are beyond it."""


class _Unaware(NamedTuple):
    """A reader or a group that was beyond the new end of a log which was truncated."""

    client_id: str | None
    connection: int | None
    """None for a group."""
    broker: int | None
    group: str | None
    """None for a reader."""
    offset: int

    def commits(self, asked: Run) -> bool:
        """Return whether a commit is one of it."""
        if self.group is None:
            return self.client_id == asked.client_id
        return self.group == asked.group

    def learns(self, run: Run, offset: int) -> bool:
        """Return whether it is the reader that goes back by a request, maybe to another broker."""
        is_other = self.connection not in {None, run.connection} and self.broker == run.broker
        return self.client_id == run.client_id and offset < self.offset and not is_other


class _Backwards(NamedTuple):
    """A commit that went back, while the client may still show that it reads again from there."""

    offset: int
    before: int
    client_id: str | None
    readers: frozenset[tuple[int | None, int | None]]
    """The connections over which the client had read, with their brokers."""
    finding: Finding

    def is_read_by(self, run: Run, offset: int) -> bool:
        """Return whether a request of the client begins where it has committed, or before."""
        is_client = self.client_id in {None, run.client_id}
        is_known = any(connection == run.connection for connection, _ in self.readers)
        is_reader = is_known or all(broker != run.broker for _, broker in self.readers)
        return is_client and is_reader and offset <= self.offset


class Commits:
    """Tracks the committed offset of each group in each partition, and the readers' positions.

    Scope: a partition. It needs all rows of the partition about committed offsets, Fetch requests
    and truncations; and of no partition, the deletions of topics.
    """

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without groups."""
        self._context: Final = context
        self._committed: Final[dict[GroupPlace, Run]] = {}
        self._pending: Final[dict[tuple[GroupPlace, int | None], Run]] = {}
        """What transactions will commit, by their producers."""
        self._positions: Final[dict[tuple[str, int], dict[_Reader, _Position]]] = {}
        self._ends: Final[dict[tuple[str, int], int]] = {}
        """The highest end that a truncated log has had."""
        self._unaware: Final[dict[tuple[str, int], list[_Unaware]]] = {}
        self._backwards: Final[dict[GroupPlace, list[_Backwards]]] = {}
        """A client may go back several times before it reads again."""
        self._members: Final[dict[GroupPlace, str]] = {}
        """The members that have committed last: a new one has read over no connection yet."""

    def end(self) -> None:
        """Report the commits that went back, and after which nobody went back to read again."""
        for key in list(self._backwards):
            self._settle(key)

    def _forget(self, key: GroupPlace) -> None:
        self._settle(key)
        self._committed.pop(key, None)

    def _settle(self, key: GroupPlace) -> None:
        """Report the commits that went back: the client has not gone back with them."""
        for found in self._backwards.pop(key, ()):
            self._context.report(found.finding)

    def _topic_deleted(self, run: Run) -> None:
        for key in [each for each in self._committed if each[1] == run.topic]:
            self._forget(key)
        for known in (self._positions, self._ends, self._unaware):
            for place in [each for each in known if each[0] == run.topic]:
                del known[place]

    def _truncated(self, run: Run) -> None:
        """Forget offsets that readers have to leave."""
        end = run.log_end_offset or 0
        before = json.loads(run.detail or "{}").get("before", 0)
        self._ends[run.place] = max(before, self._ends.get(run.place, 0))
        unaware = self._unaware.setdefault(run.place, [])
        for (client_id, connection), known in self._positions.get(run.place, {}).items():
            if known.fetch_offset > end:
                offset = known.fetch_offset
                unaware.append(_Unaware(client_id, connection, known.broker, None, offset))
        for key, committed in list(self._committed.items()):
            offset = committed.base_offset or 0
            if key[1:] == run.place and offset > end:
                unaware.append(_Unaware(committed.client_id, None, None, key[0], offset))
                self._ends[run.place] = max(offset, self._ends[run.place])
                self._forget(key)

    # Readers

    def _request(self, run: Run) -> None:
        if run.topic is None or run.partition is None:
            return
        positions = self._positions.setdefault(run.place, {})
        offset = offset_of(run)
        unaware = self._unaware.get(run.place)
        if unaware:
            unaware[:] = [each for each in unaware if not each.learns(run, offset)]
        reader = run.client_id, run.connection
        known = positions.get(reader)
        if known is None:
            positions[reader] = _Position(offset, run.broker, offset, offset)
            self._went_back(run, offset)
            return
        if offset < known.fetch_offset:
            known.back_to, known.back_from = offset, known.fetch_offset
            known.settled.clear()
            self._went_back(run, offset)
        known.fetch_offset = offset

    def _answer(self, run: Run) -> None:
        """Move a reader to the end of the records that it got, or to wherever it is reset."""
        if run.topic is None or run.partition is None:
            return
        known = self._positions.get(run.place, {}).get((run.client_id, run.connection))
        if known is None:
            return
        if run.error == "OFFSET_OUT_OF_RANGE":
            known.back_to, known.back_from = 0, known.fetch_offset
            known.settled.clear()
        elif run.last_offset is not None:
            known.fetch_offset = max(known.fetch_offset, run.last_offset + 1)

    def _went_back(self, run: Run, offset: int) -> None:
        """Drop a finding: the client has committed where it begins to read again.

        It does so over a connection that it had. A new one is of another process, unless the client
        had not read before its commit, or reads from another broker now.
        """
        for key in [each for each in self._backwards if each[1:] == run.place]:
            waiting = self._backwards.pop(key)
            left = [each for each in waiting if not each.is_read_by(run, offset)]
            if left:
                self._backwards[key] = left

    def _readers(self, run: Run, client_id: str | None) -> dict[_Reader, _Position]:
        """Return the positions of a client, or of all."""
        known = self._positions.get(run.place, {})
        return {each: known[each] for each in known if client_id in {None, each[0]}}

    def _has_gone_back(self, run: Run, client_id: str | None) -> bool:
        """Return whether a client reads again what its group had committed."""
        offset, group = run.base_offset or 0, run.group or ""
        for position in self._readers(run, client_id).values():
            if group not in position.settled and position.back_to <= offset:
                position.settled.add(group)
                return True
        return False

    def _has_caught_up(self, run: Run) -> None:
        for position in self._positions.get(run.place, {}).values():
            if (run.base_offset or 0) > position.back_from:
                position.settled.add(run.group or "")

    # Commits

    def _remove(self, run: Run) -> None:
        self._forget(group_place(run))

    def _send(self, run: Run) -> None:
        self._pending[group_place(run), run.producer_id] = run

    def _commit(self, run: Run) -> None:
        key = group_place(run)
        asked = run
        if run.producer_id is not None:
            asked = self._pending.pop((key, run.producer_id), run)
        before = self._committed.pop(key, None)
        is_new = self._members.get(key) not in {None, member_of(asked)}
        self._members[key] = member_of(asked)
        offset, end = run.base_offset or 0, run.log_end_offset
        if end is None or offset <= end:  # or else its reader has to leave it
            self._committed[key] = run
        self._judge_end(asked)
        waiting = self._backwards.get(key, [])
        if waiting and offset >= waiting[0].before:
            self._settle(key)
        if before is None or offset >= (before.base_offset or 0):
            self._has_caught_up(run)
        elif run.producer_id is not None or member_of(asked):
            client_id = asked.client_id if member_of(asked) else None
            if not self._has_gone_back(run, client_id):
                found = self._went_backwards(run, asked, before, client_id)
                found = found._replace(readers=frozenset()) if is_new else found
                self._backwards.setdefault(key, []).append(found)

    def _judge_end(self, asked: Run) -> None:
        offset, end = asked.base_offset or 0, asked.log_end_offset
        if end is None or offset <= max(end, self._end_for(asked)):
            return
        self._context.report(
            _BEYOND.finding_at(
                asked,
                f"group {asked.group!r} committed offset {offset}, and"
                f" the log ended at {end}{_committer(asked)}",
                end,
                offset - 1,
                (asked.seq,) if asked.seq else (),  # a real cluster has no row of it
            )
        )

    def _end_for(self, asked: Run) -> int:
        """Return the end up to which a client may commit that does not know of a truncation.

        Nothing is known of a client that reads elsewhere, or has read before the evidence begins.
        """
        if asked.client_id is None or not self._readers(asked, asked.client_id):
            return self._ends.get(asked.place, 0)
        unaware = self._unaware.get(asked.place, ())
        return max((each.offset for each in unaware if each.commits(asked)), default=0)

    def _went_backwards(
        self, run: Run, asked: Run, before: Run, client_id: str | None
    ) -> _Backwards:
        offset, known = run.base_offset or 0, before.base_offset or 0
        known_readers = self._readers(run, client_id).items()
        readers = frozenset((reader[1], each.broker) for reader, each in known_readers)
        finding = _BACKWARDS.finding_at(
            run,
            f"group {run.group!r} had committed offset {known}, and then"
            f" {offset}{_committer(asked)}, which did not go back to read from there",
            offset,
            known - 1,
            (before.seq, asked.seq, run.seq),
        )
        return _Backwards(offset, known, client_id, readers, finding)

    handlers: ClassVar[Handlers] = {
        "request Fetch": _request,
        "answer Fetch": _answer,
        "offset_pending": _send,
        "offset_committed": _commit,
        "offset_removed": _remove,
        "truncation": _truncated,
        "topic_deleted": _topic_deleted,
    }


def member_of(run: Run) -> str:
    """Return the member that commits; empty for a simple consumer, or an admin client."""
    return str(json.loads(run.detail or "{}").get("member", ""))


def group_place(run: Run) -> GroupPlace:
    """Return the group and the partition of a commit."""
    return run.group or "", *run.place


def _committer(asked: Run) -> str:
    return f" (client {asked.client_id!r})" if asked.client_id is not None else ""

"""OFFSETS_OUTSIDE_TRANSACTION: offsets of an application that commits them in transactions."""

import json
from typing import ClassVar, Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.applications.commit_rules import GroupPlace, group_place, member_of
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import OFFSETS_LOG, Run
from mockbroker.audit.runs.scope import ShardScope

_RULE: Final = RULES["OFFSETS_OUTSIDE_TRANSACTION"]
_Committer: TypeAlias = tuple[GroupPlace, str]
"""A member that commits offsets of a partition for its group."""


class _Outside(NamedTuple):
    """Commits of a member that no transaction has, and what shows that one should have them."""

    transaction: str
    """In words."""
    seq: int
    """Its row."""
    producer_id: int | None
    first: Run
    before: int
    last: Run
    commits: int


class OutsideCommits:
    """Tracks how each member of a group commits the offsets of each partition.

    Scope: a group. It needs all rows of the group about committed offsets, and the creations of
    topics.
    """

    scope: ClassVar = ShardScope.GROUP

    def __init__(self, context: RuleContext) -> None:
        """Start without groups."""
        self._context: Final = context
        self._inside: Final[dict[_Committer, Run]] = {}
        """The last commit of a member in a transaction."""
        self._offsets: Final[dict[GroupPlace, int]] = {}
        self._outside: Final[dict[_Committer, _Outside]] = {}

    def _send(self, run: Run) -> None:
        self._inside[group_place(run), member_of(run)] = run

    def _remove(self, run: Run) -> None:
        self._offsets[group_place(run)] = 0

    def end(self) -> None:
        """Report each member that has committed outside of its transactions."""
        for outside in self._outside.values():
            self._context.report(_finding(outside))

    def _commit(self, run: Run) -> None:
        place, offset = group_place(run), run.base_offset or 0
        before = self._offsets.get(place, 0 if self._begins(run) else offset)
        self._offsets[place] = offset
        member = member_of(run)
        if run.producer_id is not None or not member or offset <= before:
            return
        known = self._outside.get((place, member)) or self._beside(run, before, (place, member))
        if known is not None:
            known = known._replace(last=run, commits=known.commits + 1)
            self._outside[place, member] = known

    def _begins(self, run: Run) -> bool:
        """Return whether the evidence has all offsets that a group has ever had for a partition."""
        is_created = self._context.logs.is_created
        return is_created(run.place[0]) or is_created(OFFSETS_LOG)

    def _beside(self, run: Run, before: int, committer: _Committer) -> _Outside | None:
        """Return what shows that an offset belongs into a transaction; None if nothing does."""
        inside = self._inside.get(committer)
        if inside is not None:
            transaction = f"the transactions of producer {inside.producer_id}, as before"
            return _Outside(transaction, inside.seq, inside.producer_id, run, before, run, 0)
        begun = json.loads(run.detail or "{}").get("begun")
        if begun is None:
            return None
        transaction = (
            f"transaction {begun['transactional_id']!r}, which it has begun since it last committed"
        )
        return _Outside(transaction, begun["seq"], None, run, before, run, 0)

    handlers: ClassVar[Handlers] = {
        "offset_pending": _send,
        "offset_committed": _commit,
        "offset_removed": _remove,
    }


def _finding(outside: _Outside) -> Finding:
    first, last = outside.first, outside.last
    times = "" if outside.commits == 1 else f", and {outside.commits - 1} more since"
    return _RULE.finding_at(
        first,
        f"client {first.client_id!r} committed offset"
        f" {first.base_offset} of group {first.group!r} after {outside.before}{times}, and not in"
        f" {outside.transaction}",
        outside.before,
        (last.base_offset or 0) - 1,
        (outside.seq, first.seq, last.seq),
    )._replace(producer_id=outside.producer_id)

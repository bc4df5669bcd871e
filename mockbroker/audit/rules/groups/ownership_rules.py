"""OWNED_TWICE: two members of a group owned a partition, or an active task, at the same time."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar, Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

ASSIGNMENT: Final = "assignment"
"""The kind of the journal's entries that name owners."""
_RULE: Final = RULES["OWNED_TWICE"]


class _Owner(NamedTuple):
    """What a member owns since an entry of the journal."""

    member_id: str
    member_epoch: int
    places: tuple[str, ...]
    seq: int


class _Owners:
    """The members of a group, and the owners of each partition or task."""

    def __init__(self) -> None:
        self._members: dict[str, _Owner] = {}
        self._of_place: dict[str, dict[str, _Owner]] = {}

    def change(self, members: list[_Owner], *, is_whole: bool) -> list[str]:
        """Note what members own now; return what is owned twice, and was not before."""
        places = sorted({place for member in members for place in member.places})
        before = {place for place in places if len(self._of_place.get(place, ())) > 1}
        for member_id in list(self._members) if is_whole else [each.member_id for each in members]:
            self._forget(member_id)
        for member in members:
            self._members[member.member_id] = member
            for place in member.places:
                self._of_place.setdefault(place, {})[member.member_id] = member
        return [place for place in places if place not in before and len(self._of_place[place]) > 1]

    def of(self, place: str) -> list[_Owner]:
        """Return the owners of a place, the first one first."""
        return sorted(self._of_place[place].values(), key=lambda each: (each.seq, each.member_id))

    def delete(self, topic: str | None) -> None:
        """Forget who owns the partitions of a topic."""
        for place in [each for each in self._of_place if topic_of(each) == topic]:
            del self._of_place[place]

    def _forget(self, member_id: str) -> None:
        known = self._members.pop(member_id, None)
        for place in () if known is None else known.places:
            self._of_place.get(place, {}).pop(member_id, None)


class Ownership:
    """Tracks the owners in all groups. The rows of one entry are applied together.

    What a member has to give up is its own until it has done so. A member that was removed owns
    nothing, whatever it still believes. Partitions of a deleted topic have no owner: members learn
    later that they are gone, when there may be others of the same name.

    Scope: a group. It needs all rows of the group about assignments, and the deletions of topics.
    """

    scope: ClassVar = ShardScope.GROUP

    def __init__(self, context: RuleContext) -> None:
        """Start without groups."""
        self._context: Final = context
        self._groups: Final[dict[str, _Owners]] = {}
        self._rows: list[Run] = []

    def _assign(self, run: Run) -> None:
        if self._rows and self._rows[0].seq != run.seq:
            self._change()
        self._rows.append(run)

    def _delete(self, run: Run) -> None:
        self._change()
        for owners in self._groups.values():
            owners.delete(run.topic)

    def end(self) -> None:
        """Apply the last entry."""
        self._change()

    def _change(self) -> None:
        rows, self._rows = self._rows, []
        if not rows:
            return
        group_id = rows[0].group or ""
        details: list[dict[str, Any]] = [json.loads(row.detail or "{}") for row in rows]
        members = [
            _Owner(each["member"], each["epoch"], tuple(each["partitions"]), rows[0].seq)
            for each in details
        ]
        owners = self._groups.setdefault(group_id, _Owners())
        shared = owners.change(members, is_whole=any(each["is_whole"] for each in details))
        for place in shared:
            self._context.report(_finding(group_id, place, owners.of(place), rows[0]))

    handlers: ClassVar[Handlers] = {
        ASSIGNMENT: _assign,
        "topic_deleted": _delete,
    }


def topics_of(run: Run) -> set[str]:
    """Return the topics of a run: of an assignment those of what a member owns."""
    if run.kind != ASSIGNMENT:
        return set() if run.topic is None else {run.topic}
    places: Sequence[str] = json.loads(run.detail or "{}").get("partitions", ())
    return {topic for topic in map(topic_of, places) if topic is not None}


def topic_of(place: str) -> str | None:
    """Return the topic of a partition; None for a task of Kafka Streams."""
    topic, _, index = place.rpartition("-")
    return topic if topic and index.isdecimal() else None


def _finding(group_id: str, place: str, owners: list[_Owner], run: Run) -> Finding:
    topic = topic_of(place)
    who = " and ".join(f"{each.member_id!r} (epoch {each.member_epoch})" for each in owners)
    return Finding(
        _RULE.name,
        _RULE.severity,
        f"{place} of group {group_id!r} was owned by {who} at once",
        _RULE.advice,
        topic=topic,
        partition=None if topic is None else int(place.rpartition("-")[2]),
        virtual_time_ms=run.virtual_time_ms,
        evidence=tuple(sorted({each.seq for each in owners})),
    )

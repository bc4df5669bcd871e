"""Check of what members of groups own: no partition, and no task, has two owners at once."""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.journal.entry import Entry

ASSIGNMENT: Final = "assignment"
"""The kind of the journal's entries that name owners."""
_ADVICE: Final = (
    "a partition may be assigned again only once its owner has given it up, or was removed from "
    "the group; in a classic group, the assignor of the leader's client decides."
)


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
        return list(self._of_place[place].values())

    def _forget(self, member_id: str) -> None:
        known = self._members.pop(member_id, None)
        for place in () if known is None else known.places:
            self._of_place[place].pop(member_id, None)


def ownership_findings(entries: Iterable[Entry], group_id: str) -> list[Finding]:
    """Find what two members of a group owned at the same time, each time that it began.

    What a member has to give up is its own until it has done so. A member that was removed owns
    nothing, whatever it still believes.

    Raises:
        LookupError: no entry names an owner in the group.

    """
    of_group = [each for each in entries if each.kind == ASSIGNMENT and each.group == group_id]
    if not of_group:
        raise LookupError(
            f"no member of a group {group_id!r} was assigned partitions while the journal was on"
        )
    owners = _Owners()
    findings: list[Finding] = []
    for seq, rows in groupby(of_group, key=lambda each: each.seq):
        listed = list(rows)
        details: list[dict[str, Any]] = [json.loads(row.detail or "{}") for row in listed]
        members = [
            _Owner(each["member"], each["epoch"], tuple(each["partitions"]), seq)
            for each in details
        ]
        shared = owners.change(members, is_whole=any(each["is_whole"] for each in details))
        findings += [_finding(group_id, place, owners.of(place), listed[0]) for place in shared]
    return findings


def _finding(group_id: str, place: str, owners: list[_Owner], entry: Entry) -> Finding:
    topic, _, index = place.rpartition("-")
    who = " and ".join(f"{each.member_id!r} (epoch {each.member_epoch})" for each in owners)
    return Finding(
        "OWNED_TWICE",
        Severity.ERROR,
        f"{place} of group {group_id!r} was owned by {who} at once",
        _ADVICE,
        topic=topic or None,
        partition=int(index) if topic else None,
        virtual_time_ms=entry.virtual_time_ms,
        evidence=tuple(sorted({each.seq for each in owners})),
    )

"""Checks of groups by the audit's rules, on the entries of a journal."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.rules.groups.delivery_rules import (
    Delivered,
    Deliveries,
    DeliveryPlace,
    ShareHistory,
)
from mockbroker.audit.rules.groups.group_runs import judged
from mockbroker.audit.rules.groups.ownership_rules import ASSIGNMENT, Ownership
from mockbroker.journal.entry import Entry

Readable: TypeAlias = Callable[[DeliveryPlace], Iterable[int]]
"""Returns the offsets of a partition's records that a group can read, in order."""


def ownership_findings(
    entries: Iterable[Entry], group_id: str, _readable: Readable
) -> list[Finding]:
    """Find what two members of a group owned at the same time, each time that it began.

    Raises:
        LookupError: no entry names an owner in the group.

    """
    known = [
        each
        for each in entries
        if each.kind == "topic_deleted" or (each.kind == ASSIGNMENT and each.group == group_id)
    ]
    if all(each.kind != ASSIGNMENT for each in known):
        raise LookupError(
            f"no member of a group {group_id!r} was assigned partitions while the journal was on"
        )
    return judged(Ownership, known)[1]


def delivery_findings(
    entries: Iterable[Entry], group_id: str, _readable: Readable
) -> list[Finding]:
    """Find the records that a share group delivered beyond its limit.

    Raises:
        LookupError: no member of the group has acquired records.

    """
    _, findings = _deliveries(entries, group_id)
    return [each for each in findings if each.rule == "DELIVERED_BEYOND_LIMIT"]


def acknowledgement_findings(
    entries: Iterable[Entry], group_id: str, readable: Readable
) -> list[Finding]:
    """Find the records that members of a share group have acknowledged twice, or never.

    Records before the offset at which the group began are not its records.

    Raises:
        LookupError: no member of the group has acquired records.

    """
    deliveries, findings = _deliveries(entries, group_id)
    twice = [each for each in findings if each.rule == "ACKNOWLEDGED_TWICE"]
    never = [
        finding
        for place, history in sorted(deliveries.histories.items(), key=itemgetter(0))
        for finding in _unacknowledged(place, history, readable(place))
    ]
    return [*twice, *never]


CHECKS: Final[Mapping[str, Callable[[Iterable[Entry], str, Readable], list[Finding]]]] = {
    "ownership": ownership_findings,
    "deliveries": delivery_findings,
    "acknowledgements": acknowledgement_findings,
}
"""The checks of `GroupAssertions`, by name."""


def _deliveries(entries: Iterable[Entry], group_id: str) -> tuple[Deliveries, list[Finding]]:
    of_group = [each for each in entries if each.group in {None, group_id}]
    if not any(each.kind == "acquired" for each in of_group):
        raise LookupError(
            f"no member of a share group {group_id!r} has acquired records while the journal was on"
        )
    return judged(Deliveries, of_group)


def _unacknowledged(
    place: DeliveryPlace, history: ShareHistory, offsets: Iterable[int]
) -> Iterator[Finding]:
    pieces = list(history.records)
    start = history.start_offset
    if start is None:
        start = min((each.first for each in pieces), default=0)
    known = {at: each.value for each in pieces for at in range(each.first, each.last + 1)}
    states = ((at, _state(known.get(at))) for at in offsets if at >= start)
    for state, same in groupby(states, key=lambda each: each[1]):
        if state is None:
            continue
        first, *others = [at for at, _ in same]
        last = others[-1] if others else first
        which = f"offsets {first} to {last} were" if others else f"offset {first} was"
        yield Finding(
            "NOT_ACKNOWLEDGED",
            Severity.ERROR,
            f"{place.topic}-{place.partition}: {which} {state} (group {place.group!r})",
            topic=place.topic,
            partition=place.partition,
            first_offset=first,
            last_offset=last,
        )


def _state(record: Delivered | None) -> str | None:
    """Return what became of a record that is not acknowledged, or None for one that is."""
    if record is None:
        return "never delivered"
    if record.done:
        return None
    times = "once" if record.deliveries == 1 else f"{record.deliveries} times"
    if record.is_archived:
        return f"delivered {times}, which is the limit, and not accepted or rejected"
    if record.is_acquired:
        return f"delivered {times}, and not acknowledged: {record.member!r} holds the lock"
    return f"delivered {times}, and released or expired since"

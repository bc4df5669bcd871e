"""Findings about the ids of records: those at consecutive offsets are one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.rules.records.loss_rules import LOST_ACKED
from mockbroker.audit.rules.records.payload_rules import DUPLICATE_PAYLOAD
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.rules.visibility_rules import ABORTED_VISIBLE

_SEND_ONCE: Final = (
    "make retries recognisable: keep producer id and sequence, commit records and progress "
    "together, or let readers drop records that they have already seen."
)
_WHERE_IS_IT: Final = (
    "look in the journal for the call that acknowledged it, and for a later truncation or deletion,"
    " or a fault that made the response."
)
_KEEP_BACK: Final = "find the marker of the transaction, and the elections before it."

Place: TypeAlias = tuple[str, int, int]
"""Topic, partition, offset."""


class Violation(NamedTuple):
    """One record of a finding."""

    rule: str
    place: Place
    record_id: str
    why: str
    """Key of records that become one finding."""
    first: Place | None = None
    """The earlier position of the record."""
    transactional_id: str | None = None


def findings_of(violations: Iterable[Violation]) -> Iterator[Finding]:
    """Yield a finding for the violations at consecutive offsets."""
    return map(_finding, _grouped(violations))


def _grouped(violations: Iterable[Violation]) -> Iterator[list[Violation]]:
    """Group violations at consecutive offsets."""
    group: list[Violation] = []
    for each in sorted(violations, key=lambda each: (each.rule, each.place, each.record_id)):
        if group and not _goes_on(group[-1], each):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _goes_on(before: Violation, after: Violation) -> bool:
    (*log, offset), (*next_log, next_offset) = before.place, after.place
    return (
        (before.rule, log, before.why) == (after.rule, next_log, after.why)
        and (next_offset == offset + 1 or next_offset == offset == -1)
        and (before.first is None or after.first is None or before.first[:2] == after.first[:2])
    )


def _finding(group: Sequence[Violation]) -> Finding:
    one = group[0]
    topic, partition, first_offset = one.place
    last_offset = group[-1].place[2]
    rule = RULES[one.rule]
    is_placed = first_offset >= 0
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        text=f"{topic}-{partition}: {_sentence(group)}",
        advice=_ADVICE[one.rule],
        topic=topic,
        partition=partition,
        transactional_id=one.transactional_id,
        first_offset=first_offset if is_placed else None,
        last_offset=last_offset if is_placed else None,
        **_copy(one),
    )


def _copy(one: Violation) -> dict[str, Any]:
    """Return the columns with the first copy of a duplicate."""
    if one.first is None:
        return {}
    topic, partition, offset = one.first
    is_elsewhere = (topic, partition) != one.place[:2]
    elsewhere = {"copied_topic": topic, "copied_partition": partition} if is_elsewhere else {}
    return {"copied_offset": offset, **elsewhere}


_ADVICE: Final = {
    DUPLICATE_PAYLOAD: _SEND_ONCE,
    LOST_ACKED: _WHERE_IS_IT,
    ABORTED_VISIBLE: _KEEP_BACK,
}


def _sentence(group: Sequence[Violation]) -> str:
    one, count = group[0], len(group)
    records = f"{count} record" + ("s" if count > 1 else "")
    first_offset, last_offset = one.place[2], group[-1].place[2]
    offsets = f"offset {first_offset}"
    if first_offset < 0:
        offsets = "offset unknown"
    elif count > 1:
        offsets = f"offsets {first_offset}..{last_offset}"
    named = f"the first is {one.record_id!r}" if count > 1 else f"it is {one.record_id!r}"
    if one.rule == LOST_ACKED:
        whom = "them" if count > 1 else "it"
        return f"{records} ({offsets}) {one.why}, but readers do not find {whom}: {named}"
    if one.rule == ABORTED_VISIBLE:
        return f"read_committed readers get {records} ({offsets}) {one.why}: {named}"
    assert one.first is not None, one
    topic, partition, offset = one.first
    return (
        f"{records} ({offsets}){one.why} {'are' if count > 1 else 'is'} stored again: {named}, "
        f"which is also in {topic}-{partition} at offset {offset}"
    )

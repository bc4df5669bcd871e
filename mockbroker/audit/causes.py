"""One finding for one cause: what follows from it is listed with it, and is no finding of its own.

A batch that was appended too late, or by a fenced producer, opens a transaction that nobody ends,
and so readers are stuck at its first offset.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from mockbroker.audit.finding import Finding

_IN_ORDER: Final = ("ZOMBIE_WRITE_ACCEPTED", "APPEND_AFTER_MARKER", "HANGING_TXN", "LSO_STUCK")
"""Rules of which each may be broken because an earlier one is, by the same batch."""


def by_cause(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings that are causes, with their consequences, and all others as they are."""
    of_batch: defaultdict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for each in findings:
        if each.rule in _IN_ORDER and each.producer_id is not None:
            place = each.topic, each.partition, each.producer_id, each.first_offset
            of_batch[place].append(each)
        else:
            yield each
    for alike in of_batch.values():
        rest = sorted(alike, key=lambda each: (_IN_ORDER.index(each.rule), each.evidence))
        while rest:
            cause = rest.pop(0)
            others = [each for each in rest if each.rule != cause.rule and share_a_row(cause, each)]
            rest = [each for each in rest if each not in others]
            yield _with(cause, others) if others else cause


def share_a_row(one: Finding, other: Finding) -> bool:
    """Return whether findings may be about the same batch: offsets are used again.

    A topic is deleted and created, or a log is truncated.
    """
    return not (one.evidence and other.evidence) or bool({*one.evidence} & {*other.evidence})


def _with(cause: Finding, others: Iterable[Finding]) -> Finding:
    proof = {*cause.evidence, *(seq for each in others for seq in each.evidence)}
    said = tuple(f"{each.rule}: {each.text.removeprefix(f'{each.place}: ')}" for each in others)
    return cause._replace(evidence=tuple(sorted(proof)), consequences=said)

"""Checks of transactions: hanging ones, open ones, and the outcome of the last one."""

from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.audit.finding import Finding, Severity
from mockbroker.journal.compact.transaction_event import Decision
from mockbroker.state.open_transactions import OpenTransaction

_END_OPEN: Final = (
    "let the producer commit or abort before it is closed, or let the transaction time out, for "
    "example with `cluster.clock.advance('15m')`."
)


def hanging_findings(opened: Iterable[OpenTransaction]) -> list[Finding]:
    """Find hanging transactions."""
    hang = [each for each in opened if each.is_hanging]
    if not hang:
        return []
    # Imported late: a start does not wait for rules.
    from mockbroker.audit.cluster.cluster_rules import hanging_finding

    return [hanging_finding(each) for each in hang]


def open_findings(opened: Iterable[OpenTransaction]) -> list[Finding]:
    """Find open transactions that do not hang."""
    return [
        Finding(
            "OPEN",
            Severity.ERROR,
            f"{_where(each)}: {each.transactional_id!r} ({_whose(each)}) is {each.state}, "
            + (
                f"with data from offset {each.first_offset} on"
                if each.first_offset >= 0
                else "without an open record here"
            ),
            advice=_END_OPEN,
            topic=each.topic,
            partition=each.partition,
            first_offset=each.first_offset if each.first_offset >= 0 else None,
        )
        for each in opened
        if not each.is_hanging
    ]


def decision_findings(
    decisions: Sequence[Decision],
    opened: Iterable[OpenTransaction],
    transactional_id: str,
    *,
    is_commit: bool,
) -> list[Finding]:
    """Find the last transaction of an id if its outcome differs, or it is not complete.

    No coordinator knows a transaction whose marker is missing: it is its producer's.
    """
    of_id = [each for each in decisions if each.transactional_id == transactional_id]
    if not of_id:
        text = f"no transaction of {transactional_id!r} was committed or aborted"
        return [Finding("NOT_ENDED", Severity.ERROR, text)]
    last = of_id[-1]
    producer = last.producer_id, last.producer_epoch
    unfinished = [
        each
        for each in opened
        if each.transactional_id == transactional_id
        or (each.is_hanging and (each.producer_id, each.producer_epoch) == producer)
    ]
    if unfinished:
        return [*hanging_findings(unfinished), *open_findings(unfinished)]
    if last.is_commit == is_commit:
        return []
    ends = ", ".join("commit" if each.is_commit else "abort" for each in of_id[-10:])
    text = f"the transactions of {transactional_id!r} ended, in order: {ends}"
    return [Finding("OTHER_END", Severity.ERROR, text)]


def _where(each: OpenTransaction) -> str:
    return f"{each.topic}-{each.partition}"


def _whose(each: OpenTransaction) -> str:
    return f"producer {each.producer_id} epoch {each.producer_epoch}"

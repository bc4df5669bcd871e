"""Checks of responses to clients: fenced producers, and requests without a response."""

from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.transaction_event import Fenced

_UNHANDLED: Final = frozenset(
    {"bad_frame_size", "undecodable_request", "unknown_api", "unsupported_version"}
)
"""Reasons to close a connection that are due to the client's bytes."""


class ProducerName(NamedTuple):
    """Selection of producers; a field that is None matches any."""

    transactional_id: str | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None

    def __str__(self) -> str:
        """Format the given fields."""
        named = [] if self.transactional_id is None else [repr(self.transactional_id)]
        if self.producer_id is not None:
            named.append(f"producer {self.producer_id}")
        if self.producer_epoch is not None:
            named.append(f"epoch {self.producer_epoch}")
        return " ".join(named) or "any producer"


def fencing_findings(ledger: Ledger, producer: ProducerName) -> list[Finding]:
    """Return a finding if no selected producer got the error of a fenced one."""
    ids = {
        each.producer_id
        for each in ledger.epochs
        if each.transactional_id == producer.transactional_id
    }
    if any(_is_meant(event, producer, ids) for event in ledger.fenced):
        return []
    text = "; ".join(
        f"producer {each.producer_id} epoch {each.producer_epoch} "
        f"({each.error} to {each.api}{f', {count} times' if count > 1 else ''})"
        for each, count in ledger.fenced.items()
    )
    return [
        Finding(
            "NOT_FENCED",
            Severity.ERROR,
            f"no request of {producer} got PRODUCER_FENCED or "
            f"INVALID_PRODUCER_EPOCH; {_epochs(ledger, producer)}"
            + (f". Fenced producers: {text}" if text else ""),
            advice="a producer is fenced by the response to its next request: let it send one.",
        )
    ]


def unhandled_findings(ledger: Ledger) -> list[Finding]:
    """Return findings for requests that no broker serves, whose connections were closed."""
    return [
        Finding(
            "UNHANDLED_REQUEST",
            Severity.ERROR,
            f"{reason.replace('_', ' ')}: {text}, {count} {'time' if count == 1 else 'times'}",
            advice="`mockbroker apis` shows what each release serves. An unsupported request is a "
            "usual reason for a client to retry forever or to give up.",
        )
        for (reason, text), count in ledger.hung_up.items()
        if reason in _UNHANDLED
    ]


def _is_meant(event: Fenced, producer: ProducerName, ids: set[int]) -> bool:
    name = producer.transactional_id
    return (
        (name is None or event.transactional_id == name or event.producer_id in ids)
        and producer.producer_id in {None, event.producer_id}
        and producer.producer_epoch in {None, event.producer_epoch}
    )


def _epochs(ledger: Ledger, producer: ProducerName) -> str:
    given = [
        f"{each.producer_id} e{each.producer_epoch}"
        for each in ledger.epochs
        if producer.transactional_id in {None, each.transactional_id}
    ]
    if not given:
        return "no epoch was assigned"
    return f"assigned in this order: {', '.join(given[-10:])}"

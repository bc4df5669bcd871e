"""Events of transactions in the ledger: decisions, new producer epochs, fenced producers."""

from typing import NamedTuple


class Decision(NamedTuple):
    """A coordinator has written down that a transaction commits or aborts."""

    order: int
    now_ms: int
    transactional_id: str
    producer_id: int
    producer_epoch: int
    """Whose transaction it is: the epoch of its batches, not the one that its markers may have."""
    is_commit: bool


class EpochGiven(NamedTuple):
    """A transactional id has a producer id and epoch; those it had before are fenced."""

    order: int
    now_ms: int
    transactional_id: str
    producer_id: int
    producer_epoch: int
    previous_producer_id: int
    previous_producer_epoch: int


class Fenced(NamedTuple):
    """A producer was told that a newer one has taken its place."""

    transactional_id: str | None
    producer_id: int
    producer_epoch: int
    api: str
    error: str
    """Kafka's name of the code."""


class Truncation(NamedTuple):
    """The end of a log was lost."""

    order: int
    place: int
    end_offset: int
    """The log's end after it."""

"""Events of transactions in the ledger: decisions, new producer epochs, fenced producers."""

from typing import NamedTuple


class Decision(NamedTuple):
    """A coordinator has logged a commit or an abort."""

    order: int
    now_ms: int
    transactional_id: str
    producer_id: int
    producer_epoch: int
    """The epoch of the transaction's batches, which may differ from that of its markers."""
    is_commit: bool


class EpochGiven(NamedTuple):
    """A transactional id got a producer id and epoch; its earlier ones are fenced."""

    order: int
    now_ms: int
    transactional_id: str
    producer_id: int
    producer_epoch: int
    previous_producer_id: int
    previous_producer_epoch: int


class Fenced(NamedTuple):
    """A producer got an error because a newer one has taken its place."""

    transactional_id: str | None
    producer_id: int
    producer_epoch: int
    api: str
    error: str
    """Kafka's name of the code."""


class Truncation(NamedTuple):
    """A log was truncated at its end."""

    order: int
    place: int
    end_offset: int
    """The log end offset after the truncation."""

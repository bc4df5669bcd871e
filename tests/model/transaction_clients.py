"""Transactional producers, and the promises in the answers to them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.transaction.producer_epochs import NO_PRODUCER, ProducerIdAndEpoch

FENCED = {
    ErrorCode.INVALID_PRODUCER_EPOCH,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.PRODUCER_FENCED,
}


class Written(NamedTuple):
    """A batch that a broker has acknowledged."""

    partition: int
    base_offset: int
    content: tuple[int, int, int]
    """Producer id, epoch and sequence."""


@dataclass
class Promised:
    """A transaction as its client sees it."""

    partitions: set[int] = field(default_factory=set[int])
    written: list[Written] = field(default_factory=list[Written])
    late: list[Written] = field(default_factory=list[Written])
    """Records acknowledged after the end, or in a partition that was not added."""
    is_commit: bool | None = None
    """The promised end; None while the transaction is open, or if its end was refused."""


@dataclass
class Client:
    """A producer with a transactional id; another one may have the same."""

    transactional_id: str
    bumps: bool
    """True if it uses transaction.version 2."""
    producer: ProducerIdAndEpoch = NO_PRODUCER
    sequences: dict[int, int] = field(default_factory=dict[int, int])
    transaction: Promised = field(default_factory=Promised)
    is_fenced: bool = False
    """True if it got an error because its epoch or id is not the current one."""

    def note_result(self, operation: str, code: ErrorCode) -> str:
        """Record a fencing error, and return the outcome as text."""
        self.is_fenced |= code in FENCED
        return f"{operation} {code.name}"


@dataclass
class InFlight:
    """A batch that its broker has verified with the coordinator, and not yet appended."""

    client: Client
    transaction: Promised
    partition: int
    header: BatchHeader
    guard: VerificationGuard | None

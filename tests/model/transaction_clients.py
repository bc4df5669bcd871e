"""Producers with transactional ids, and what they were promised."""

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
    """What was acknowledged after the end, or where the partition was not added."""
    is_commit: bool | None = None
    """What the client was promised; None while it is open, or was refused."""


@dataclass
class Client:
    """A producer with a transactional id; another one may have the same."""

    transactional_id: str
    bumps: bool
    """Whether it speaks transaction.version 2."""
    producer: ProducerIdAndEpoch = NO_PRODUCER
    sequences: dict[int, int] = field(default_factory=dict[int, int])
    transaction: Promised = field(default_factory=Promised)
    is_fenced: bool = False
    """Whether it was told that its epoch or id is not the current one."""

    def told(self, operation: str, code: ErrorCode) -> str:
        """Take note of a refusal, and say what it was."""
        self.is_fenced |= code in FENCED
        return f"{operation} {code.name}"


@dataclass
class InFlight:
    """A batch whose broker has asked the coordinator, and not yet appended."""

    client: Client
    transaction: Promised
    partition: int
    header: BatchHeader
    guard: VerificationGuard | None

"""Producers, what they send, and what they were promised: values that never change."""

from typing import NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.transaction.producer_epochs import NO_PRODUCER, ProducerIdAndEpoch
from tests.model.transaction_clients import Written

PARTITIONS = 2

NO_SEQUENCES = (0,) * PARTITIONS

REPEATED = {
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.NOT_ENOUGH_REPLICAS,
}
"""Codes after which a producer sends the same request again."""
ABORTABLE = {
    ErrorCode.INVALID_TXN_STATE,
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    ErrorCode.TRANSACTION_ABORTABLE,
    ErrorCode.UNKNOWN_PRODUCER_ID,
}
"""Codes of a batch after which a producer aborts its transaction; after any other it gives up."""


class Case(NamedTuple):
    """What is searched."""

    release: str
    transaction_version: int | None = None
    transactional_ids: tuple[str, str] = ("id", "id")
    transactions: tuple[int, int] = (1, 1)
    """How many transactions each producer begins."""
    faults: int = 2

    def __str__(self) -> str:
        """Name the case in one line."""
        version = self.transaction_version
        named = "" if version is None else f", transaction.version {version}"
        ids = "one id" if len(set(self.transactional_ids)) == 1 else "two ids"
        each = " and ".join(map(str, self.transactions))
        return f"Kafka {self.release}{named}, {ids}, {each} transactions, {self.faults} faults"


class Request(NamedTuple):
    """A request as an application sees it."""

    api: str
    """`init`, `add`, `produce`, `commit` or `abort`."""
    partition: int = -1

    def __str__(self) -> str:
        """Name the request as in a list of steps."""
        return self.api if self.partition < 0 else f"{self.api} {self.partition}"


class Producer(NamedTuple):
    """A transactional producer, and what its application does next."""

    transactional_id: str
    bumps: bool
    """True if it uses transaction.version 2."""
    left: int
    """The number of transactions that its application still begins."""
    identity: ProducerIdAndEpoch = NO_PRODUCER
    sequences: tuple[int, ...] = NO_SEQUENCES
    serial: int = 0
    """Counts its transactions."""
    added: frozenset[int] = frozenset()
    sent: frozenset[int] = frozenset()
    """The partitions that got a batch of the open transaction."""
    written: tuple[Written, ...] = ()
    """The acknowledged batches of the open transaction."""
    waits: bool = False
    """True while a broker verifies its batch."""
    unanswered: Request | None = None
    """The request that it has to repeat."""
    must_abort: bool = False
    needs_epoch: bool = False
    """True if a batch failed, so that it asks for another epoch after the abort (KIP-360)."""
    is_over: bool = False
    """True after an error that is final for a producer."""

    @property
    def has_begun(self) -> bool:
        """True while a transaction is open as its application sees it."""
        return bool(self.added or self.sent)

    @property
    def is_done(self) -> bool:
        """True if the application asks for nothing more."""
        return self.is_over or not (
            self.left or self.has_begun or self.unanswered or self.waits or self.must_abort
        )


class Message(NamedTuple):
    """A request on its way, as the bytes in the network: it does not follow its producer."""

    sender: int
    transactional_id: str
    request: Request
    identity: ProducerIdAndEpoch
    serial: int
    sequence: int = -1
    expected: ProducerIdAndEpoch | None = None
    is_verified: bool = False
    """True of a batch that may be appended, unless its verification is revoked meanwhile."""
    is_revoked: bool = False
    is_late: bool = False
    """True if nobody waits for the answer any more."""


class Ended(NamedTuple):
    """A transaction that was ended, as its producer knows it."""

    sender: int
    serial: int
    written: tuple[Written, ...]
    is_commit: bool | None
    """None if no answer told it."""


class Answer(NamedTuple):
    """What a producer learns."""

    code: ErrorCode = ErrorCode.NONE
    identity: ProducerIdAndEpoch | None = None
    written: Written | None = None
    is_on_its_way: bool = False
    """True of a batch that is verified and not yet appended: no answer is sent yet."""

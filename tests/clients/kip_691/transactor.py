"""A transactional client as the template of KIP-691 sees it: what each call raised."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Raised:
    """What a call raised, by the client's own names."""

    name: str
    """The class or the code; `outer < cause` where one wraps the other."""
    says: str = ""
    """What the client says of it: `fatal`, `abortable`, `retriable`, or nothing."""

    def __str__(self) -> str:
        """Write both."""
        return f"{self.name} [{self.says}]" if self.says else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a producer is configured."""

    call_timeout_ms: int = 10_000
    """How long one call waits."""
    delivery_timeout_ms: int = 10_000
    """How long it may take until a record is delivered."""
    request_timeout_ms: int = 5_000
    """How long an answer is waited for."""
    uses_sasl: bool = False
    compresses: bool = False


class Transactor(Protocol):
    """One producer. Calls return what they raised, or None."""

    def init_transactions(self) -> Raised | None:
        """Get a producer id; fence, and end, what came before."""
        ...

    def begin_transaction(self) -> Raised | None:
        """Begin."""
        ...

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        """Send a record without a look at what becomes of it."""
        ...

    def flush(self) -> Raised | None:
        """Wait until all that was sent is acknowledged or has failed."""
        ...

    def reports(self) -> Sequence[str]:
        """Return what the callbacks of records that failed were told since this was asked."""
        ...

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        """Add a group's offset to the transaction, as no member of the group."""
        ...

    def commit_transaction(self) -> Raised | None:
        """Commit."""
        ...

    def abort_transaction(self) -> Raised | None:
        """Abort."""
        ...

    def close(self) -> None:
        """Let go of the producer, whatever state it is in."""
        ...


class TransactorClient(Protocol):
    """Makes producers."""

    def transactor(self, bootstrap_servers: str, transactional_id: str, setup: Setup) -> Transactor:
        """Return a producer that has asked for nothing yet."""
        ...

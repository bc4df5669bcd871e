"""Interface of a transactional client for KIP-691's template: calls return their errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Raised:
    """Error of a call, with the client's own names."""

    name: str
    """The class or the code; `outer < cause` where one wraps the other."""
    says: str = ""
    """What the client says of it: `fatal`, `abortable`, `retriable`, or nothing."""

    def __str__(self) -> str:
        """Format the names."""
        return f"{self.name} [{self.says}]" if self.says else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Configuration of a producer."""

    call_timeout_ms: int = 10_000
    """How long one call waits."""
    delivery_timeout_ms: int = 10_000
    """How long it may take until a record is delivered."""
    request_timeout_ms: int = 5_000
    """How long an answer is waited for."""
    uses_sasl: bool = False
    compresses: bool = False
    is_transactional: bool = True
    """False for a producer that is only idempotent; `init_transactions` makes it ready, then."""
    acks: str = "all"
    """A producer that is satisfied with others is not idempotent."""


class Transactor(Protocol):
    """One producer. Calls return what they raised, or None."""

    def init_transactions(self) -> Raised | None:
        """Get a producer id; fence earlier producers, and end their transactions."""
        ...

    def begin_transaction(self) -> Raised | None:
        """Begin a transaction."""
        ...

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        """Send a record without checking its result."""
        ...

    def flush(self) -> Raised | None:
        """Wait until all sent records are acknowledged or have failed."""
        ...

    def reports(self) -> Sequence[str]:
        """Return the errors in callbacks of failed records since the last call."""
        ...

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        """Add a group's offset to the transaction, without group membership."""
        ...

    def commit_transaction(self) -> Raised | None:
        """Commit the transaction."""
        ...

    def abort_transaction(self) -> Raised | None:
        """Abort the transaction."""
        ...

    def close(self) -> None:
        """Close the producer, in whatever state it is."""
        ...


class RefusedSetupError(Exception):
    """The client makes no producer with this configuration."""

    def __init__(self, raised: Raised) -> None:
        """Take what the client raised."""
        super().__init__(str(raised))
        self.raised = raised


class TransactorClient(Protocol):
    """Factory of producers."""

    def transactor(self, bootstrap_servers: str, transactional_id: str, setup: Setup) -> Transactor:
        """Return a producer that has not sent a request yet.

        Raises: RefusedSetupError if the client does not accept the configuration.
        """
        ...

"""Interface of a transactional client for the scenarios, in any language."""

from typing import Protocol


class ClientError(Exception):
    """An operation that the client refused or that failed."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"{name}: {detail}")
        self.name = name
        """What the client calls it: a class of its own, or Kafka's name or code for it."""


class TransactionalProducer(Protocol):
    """One producer; all operations wait for the outcome, and raise ClientError."""

    def begin(self) -> None:
        """Begin a transaction."""
        ...

    def send(self, topic: str, partition: int, value: str) -> None:
        """Send a record and wait for its acknowledgement."""
        ...

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        """Add a group's offset to the transaction, as no member of the group."""
        ...

    def commit(self) -> None:
        """Commit the transaction."""
        ...

    def abort(self) -> None:
        """Abort the transaction."""
        ...

    def close(self) -> None:
        """Let go of the producer, whatever state it is in."""
        ...


class TransactionalClient(Protocol):
    """Makes producers, and reads."""

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> TransactionalProducer:
        """Return a producer that has its producer id and has fenced those before it."""
        ...

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        """Return the values from the start of the partition up to the value `last`."""
        ...

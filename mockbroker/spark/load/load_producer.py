"""A producer as a load drives it: one form for every client."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, Protocol, TypeAlias

from mockbroker.spark.load.load_ledger import RECORD_HEADER, Outcome
from mockbroker.spark.load.load_plan import Delivery
from mockbroker.spark.load.load_script import LoadRecord

ClientName: TypeAlias = Literal["confluent", "kafka-python", "spark"]

PATIENCE_S: Final = 60.0
"""How long a client may try, whatever it does."""
TRANSACTION_TIMEOUT_MS: Final = 60_000

_OPEN: Final = frozenset(
    {
        "_MSG_TIMED_OUT",
        "_PURGE_INFLIGHT",
        "_TIMED_OUT",
        "_TRANSPORT",
        "KafkaConnectionError",
        "KafkaTimeoutError",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NotEnoughReplicasAfterAppendError",
        "REQUEST_TIMED_OUT",
        "RequestTimedOutError",
    }
)
"""Errors that leave open whether a record is stored."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a client was told of one record."""

    outcome: Outcome
    offset: int | None = None
    error: str | None = None


class LoadProducerError(Exception):
    """A producer that cannot go on as it was asked to."""

    def __init__(self, why: str, *, kind: Literal["abort", "fatal"]) -> None:
        """Say why, and what is left: to abort and begin again, or nothing."""
        super().__init__(why)
        self.kind = kind


class LoadProducer(Protocol):
    """What a load asks of a producer. With transactions, `send` is between `begin` and an end."""

    def begin(self) -> None:
        """Begin a transaction."""

    def send(self, record: LoadRecord, tell: Callable[[Told], None]) -> None:
        """Hand a record to the client; `tell` is called within `flush` at the latest.

        It is called once, or not at all: then nobody knows what became of the record.
        """

    def flush(self) -> None:
        """Wait until every record has been told of.

        Raises:
            LoadProducerError: that takes too long.

        """

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            LoadProducerError: it is not committed, or nobody knows.

        """

    def abort(self) -> None:
        """Abort the transaction.

        Raises:
            LoadProducerError: it cannot be.

        """

    def drop(self) -> None:
        """Let go of the producer as it is: nothing is committed or aborted.

        Afterwards it asks no broker for anything.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerSettings:
    """How a producer is made."""

    bootstrap_servers: str
    topic: str
    client_id: str
    delivery: Delivery
    transactional_id: str | None
    """With it, a producer is made when its predecessors of that id are fenced."""


def make_producer(client: ClientName, settings: ProducerSettings) -> LoadProducer:
    """Make a producer of a client.

    Raises:
        ImportError: the client is not installed; the text says which.
        LoadProducerError: it cannot begin.

    """
    module, library, package = _MODULES[client]
    try:
        import_module(library)
    except ImportError as missing:
        raise ImportError(f"--client {client} needs {package}: pip install {package}") from missing
    made: LoadProducer = import_module(module).make(settings)
    return made


_MODULES: Final[Mapping[str, tuple[str, str, str]]] = {
    "confluent": ("mockbroker.spark.load.load_confluent", "confluent_kafka", "confluent-kafka"),
    "kafka-python": ("mockbroker.spark.load.load_kafka_python", "kafka", "kafka-python"),
}
"""Each client's module here, what it imports, and the package that has that."""


def headers_of(record: LoadRecord) -> list[tuple[str, bytes]]:
    """Return the header that names a record."""
    return [(RECORD_HEADER, record.record_id.encode())]


def refusal(name: str) -> Told:
    """Say what an error means for a record."""
    return Told("unknown" if name in _OPEN else "failed", error=name)


class Patience:
    """The end of what a producer may take for one thing."""

    def __init__(self, seconds: float = PATIENCE_S) -> None:
        """Begin to wait."""
        self._until = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """How long is left, and not less than a tenth of a second."""
        return max(self._until - time.monotonic(), 0.1)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return time.monotonic() >= self._until


def error_name(error: Any) -> str:
    """Name an error of a client as its documentation does."""
    return str(error.name()) if hasattr(error, "name") else type(error).__name__

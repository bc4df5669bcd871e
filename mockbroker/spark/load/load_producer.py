"""Interface of a load's producer, the same for every client."""

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
"""Time limit for each operation of a client."""
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
"""Errors after which it is unknown whether a record is stored."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """Result that a client reports for one record."""

    outcome: Outcome
    offset: int | None = None
    error: str | None = None


class LoadProducerError(Exception):
    """A failed operation of a producer."""

    def __init__(self, why: str, *, kind: Literal["abort", "fatal"]) -> None:
        """Set the reason, and the kind: an abort and a retry are possible, or it is fatal."""
        super().__init__(why)
        self.kind = kind


class LoadProducer(Protocol):
    """Interface of a producer. With transactions, `send` is between `begin` and an end."""

    def begin(self) -> None:
        """Begin a transaction."""

    def send(self, record: LoadRecord, report: Callable[[SendResult], None]) -> None:
        """Pass a record to the client; `report` is called during `flush` at the latest.

        It is called at most once; without a call, the record's result is unknown.
        """

    def flush(self) -> None:
        """Wait until every record has a result.

        Raises:
            LoadProducerError: the time limit is over.

        """

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            LoadProducerError: it is not committed, or that is unknown.

        """

    def abort(self) -> None:
        """Abort the transaction.

        Raises:
            LoadProducerError: it cannot be aborted.

        """

    def drop(self) -> None:
        """Drop the producer without a commit or an abort.

        Afterwards it sends no requests.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerSettings:
    """Settings of a producer."""

    bootstrap_servers: str
    topic: str
    client_id: str
    delivery: Delivery
    transactional_id: str | None
    """If set, the producer fences its predecessors with that id at its start."""


def make_producer(client: ClientName, settings: ProducerSettings) -> LoadProducer:
    """Create a producer with a client.

    Raises:
        ImportError: the client is not installed; the text names it.
        LoadProducerError: it cannot start.

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
"""Module of each client here, the module that it imports, and that module's package."""


def headers_of(record: LoadRecord) -> list[tuple[str, bytes]]:
    """Return the header with the record's id."""
    return [(RECORD_HEADER, record.record_id.encode())]


def refusal(name: str) -> SendResult:
    """Return a record's result for an error."""
    return SendResult("unknown" if name in _OPEN else "failed", error=name)


class Patience:
    """Time limit of one operation."""

    def __init__(self, seconds: float = PATIENCE_S) -> None:
        """Start the time."""
        self._until = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Return the remaining time, at least a tenth of a second."""
        return max(self._until - time.monotonic(), 0.1)

    @property
    def is_over(self) -> bool:
        """True if the time is over."""
        return time.monotonic() >= self._until


def error_name(error: Any) -> str:
    """Return an error's name as in the client's documentation."""
    return str(error.name()) if hasattr(error, "name") else type(error).__name__

"""Load producer with the client kafka-python."""

from collections.abc import Callable
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mockbroker.spark.load.load_producer import (
    PATIENCE_S,
    TRANSACTION_TIMEOUT_MS,
    LoadProducerError,
    ProducerSettings,
    SendResult,
    error_name,
    headers_of,
    refusal,
)
from mockbroker.spark.load.load_script import LoadRecord

if TYPE_CHECKING:
    from collections.abc import Generator

_LINGER_MS: Final = 10_000
"""Long linger: records are sent at `flush`, which ignores it, so a round is few requests."""
_PATIENCE_MS: Final = int(PATIENCE_S * 1000)


def make(settings: ProducerSettings) -> "KafkaPythonLoadProducer":
    """Create a producer; a transactional one fences its predecessors.

    Raises:
        LoadProducerError: it cannot start.

    """
    return KafkaPythonLoadProducer(settings)


class KafkaPythonLoadProducer:
    """Implementation of `LoadProducer`."""

    def __init__(self, settings: ProducerSettings) -> None:
        """Create the client."""
        self._topic: Final = settings.topic
        configs: dict[str, Any] = {
            "bootstrap_servers": settings.bootstrap_servers.split(","),
            "client_id": settings.client_id,
            "acks": "all",
            "linger_ms": _LINGER_MS,
            "max_block_ms": _PATIENCE_MS,
            "delivery_timeout_ms": _PATIENCE_MS,
            "enable_idempotence": settings.delivery != "plain",
        }
        if settings.transactional_id is not None:
            configs["transactional_id"] = settings.transactional_id
            configs["transaction_timeout_ms"] = TRANSACTION_TIMEOUT_MS
        with _understood():
            # the client has no type annotations
            self._client: Any = import_module("kafka").KafkaProducer(**configs)
            if settings.transactional_id is not None:
                self._client.init_transactions()

    def begin(self) -> None:
        """Begin a transaction."""
        with _understood():
            self._client.begin_transaction()

    def send(self, record: LoadRecord, report: Callable[[SendResult], None]) -> None:
        """Pass a record to the client."""
        with _understood():
            future: Any = self._client.send(
                self._topic,
                key=record.key,
                value=record.value,
                partition=record.partition,
                headers=headers_of(record),
            )

        def stored(metadata: Any) -> None:
            report(SendResult("acked", metadata.offset))

        def refused(error: Exception) -> None:
            report(refusal(error_name(error)))

        future.add_callback(stored)
        future.add_errback(refused)

    def flush(self) -> None:
        """Wait until every record has a result."""
        with _understood():
            self._client.flush(PATIENCE_S)

    def commit(self) -> None:
        """Commit the transaction."""
        with _understood():
            self._client.commit_transaction()

    def abort(self) -> None:
        """Abort the transaction."""
        with _understood():
            self._client.abort_transaction()

    def drop(self) -> None:
        """Drop the client after all its requests have ended.

        A producer whose epoch is refused requests a new one by itself. Kafka accepts that even from
        a fenced producer, and aborts its successor's open transaction.
        """
        with suppress(LoadProducerError), _understood():
            self._client.close(PATIENCE_S)


@contextmanager
def _understood() -> "Generator[None]":
    """Convert the client's errors to `LoadProducerError`."""
    errors = import_module("kafka.errors")
    try:
        yield
    except errors.KafkaError as error:
        name = error_name(error)
        can_abort = name.endswith("AbortableError")
        raise LoadProducerError(
            f"{name}: {error}", kind="abort" if can_abort else "fatal"
        ) from None

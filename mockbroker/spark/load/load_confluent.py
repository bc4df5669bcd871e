"""Load producer with the client confluent-kafka."""

from collections.abc import Callable
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mockbroker.spark.load.load_producer import (
    PATIENCE_S,
    TRANSACTION_TIMEOUT_MS,
    LoadProducerError,
    Patience,
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
_POLL_S: Final = 0.1


def make(settings: ProducerSettings) -> "ConfluentLoadProducer":
    """Create a producer; a transactional one fences its predecessors.

    Raises:
        LoadProducerError: it cannot start.

    """
    return ConfluentLoadProducer(settings)


class ConfluentLoadProducer:
    """Implementation of `LoadProducer`."""

    def __init__(self, settings: ProducerSettings) -> None:
        """Create the client."""
        self._topic: Final = settings.topic
        configs: dict[str, Any] = {
            "bootstrap.servers": settings.bootstrap_servers,
            "client.id": settings.client_id,
            "acks": "all",
            "linger.ms": _LINGER_MS,
            "message.timeout.ms": int(PATIENCE_S * 1000),
            "queue.buffering.max.kbytes": 1 << 18,
            "log_level": 0,
            "enable.idempotence": settings.delivery != "plain",
        }
        if settings.transactional_id is not None:
            configs["transactional.id"] = settings.transactional_id
            configs["transaction.timeout.ms"] = TRANSACTION_TIMEOUT_MS
            configs["message.timeout.ms"] = TRANSACTION_TIMEOUT_MS
        self._failure: type[Exception] = import_module("confluent_kafka").KafkaException
        # the client has no type annotations
        self._client: Any = import_module("confluent_kafka").Producer(configs)
        if settings.transactional_id is not None:
            self._insist("init_transactions")

    def begin(self) -> None:
        """Begin a transaction."""
        with _understood():
            self._client.begin_transaction()

    def send(self, record: LoadRecord, report: Callable[[SendResult], None]) -> None:
        """Pass a record to the client."""

        def delivered(error: Any, message: Any) -> None:
            is_stored = error is None
            report(
                SendResult("acked", message.offset()) if is_stored else refusal(error_name(error))
            )

        patience = Patience()
        while True:
            try:
                self._produce(record, delivered)
            except BufferError:
                if patience.is_over:
                    raise LoadProducerError("the client's queue stays full", kind="fatal") from None
                self._client.poll(_POLL_S)
            else:
                return

    def _produce(self, record: LoadRecord, delivered: Callable[[Any, Any], None]) -> None:
        with _understood():
            self._client.produce(
                self._topic,
                key=record.key,
                value=record.value,
                partition=record.partition,
                headers=headers_of(record),
                on_delivery=delivered,
            )

    def flush(self) -> None:
        """Wait until every record has a result."""
        patience = Patience()
        while left := self._flush(patience):
            if patience.is_over:
                raise LoadProducerError(f"{left} records got no response", kind="fatal")

    def _flush(self, patience: Patience) -> int:
        """Wait for pending records, and return the number of those that remain.

        A fatal error can be raised inside a delivery callback; then that record never gets a
        result. The next call reports the consequences.
        """
        try:
            return int(self._client.flush(patience.left_s))
        except (self._failure, SystemError):
            return len(self._client)

    def commit(self) -> None:
        """Commit the transaction."""
        self._insist("commit_transaction")

    def abort(self) -> None:
        """Abort the transaction."""
        self._insist("abort_transaction")

    def drop(self) -> None:
        """Drop the client, and the records that it has not sent."""
        self._client.purge()
        with suppress(self._failure, SystemError):  # a fatal error that was not reported yet
            self._client.poll(0)
        self._client = None

    def _insist(self, method: str) -> None:
        """Call a method repeatedly while its errors are retriable.

        The name, because a bound method in the traceback of an error would keep a dropped client.
        """
        patience = Patience()
        while True:
            try:
                with _understood(patience):
                    getattr(self._client, method)(patience.left_s)
            except _AgainError:
                continue
            return


class _AgainError(Exception):
    """The call is not complete, and can be repeated."""


@contextmanager
def _understood(patience: Patience | None = None) -> "Generator[None]":
    """Convert the client's errors to `LoadProducerError`."""
    try:
        yield
    except import_module("confluent_kafka").KafkaException as failure:
        error: Any = failure.args[0]
        if patience is not None and error.retriable() and not patience.is_over:
            raise _AgainError from None
        why = f"{error_name(error)}: {error.str()}"
        can_abort = error.txn_requires_abort()
        raise LoadProducerError(why, kind="abort" if can_abort else "fatal") from None

"""confluent-kafka as a load drives it."""

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
    Told,
    error_name,
    headers_of,
    refusal,
)
from mockbroker.spark.load.load_script import LoadRecord

if TYPE_CHECKING:
    from collections.abc import Generator

_LINGER_MS: Final = 10_000
"""Nothing is sent before `flush`, which does not wait for it: a round is few requests."""
_POLL_S: Final = 0.1


def make(settings: ProducerSettings) -> "ConfluentLoadProducer":
    """Make a producer; a transactional one has fenced its predecessors then.

    Raises:
        LoadProducerError: it cannot begin.

    """
    return ConfluentLoadProducer(settings)


class ConfluentLoadProducer:
    """A LoadProducer."""

    def __init__(self, settings: ProducerSettings) -> None:
        """Make the client."""
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
        # it has no types for what it takes and gives
        self._client: Any = import_module("confluent_kafka").Producer(configs)
        if settings.transactional_id is not None:
            self._insist(self._client.init_transactions)

    def begin(self) -> None:
        """Begin a transaction."""
        with _understood():
            self._client.begin_transaction()

    def send(self, record: LoadRecord, tell: Callable[[Told], None]) -> None:
        """Hand over a record."""

        def told(error: Any, message: Any) -> None:
            is_stored = error is None
            tell(Told("acked", message.offset()) if is_stored else refusal(error_name(error)))

        patience = Patience()
        while True:
            try:
                self._produce(record, told)
            except BufferError:
                if patience.is_over:
                    raise LoadProducerError("the client's queue stays full", kind="fatal") from None
                self._client.poll(_POLL_S)
            else:
                return

    def _produce(self, record: LoadRecord, told: Callable[[Any, Any], None]) -> None:
        with _understood():
            self._client.produce(
                self._topic,
                key=record.key,
                value=record.value,
                partition=record.partition,
                headers=headers_of(record),
                on_delivery=told,
            )

    def flush(self) -> None:
        """Wait until every record has been told of."""
        patience = Patience()
        while left := self._flush(patience):
            if patience.is_over:
                raise LoadProducerError(f"{left} records were not answered", kind="fatal")

    def _flush(self, patience: Patience) -> int:
        """Wait for what is not answered yet, and return how much that is.

        A fatal error is raised amid the calls that tell of records, and may be raised in one of
        them: then that one record is never told of. What follows of it, the next call says.
        """
        try:
            return int(self._client.flush(patience.left_s))
        except (self._failure, SystemError):
            return len(self._client)

    def commit(self) -> None:
        """Commit the transaction."""
        self._insist(self._client.commit_transaction)

    def abort(self) -> None:
        """Abort the transaction."""
        self._insist(self._client.abort_transaction)

    def drop(self) -> None:
        """Let go of the client; what it has not sent is forgotten."""
        self._client.purge()
        with suppress(self._failure, SystemError):  # a fatal error of which nobody has heard yet
            self._client.poll(0)
        self._client = None

    def _insist(self, call: Callable[[float], object]) -> None:
        """Call until it is done: what can be tried again is."""
        patience = Patience()
        while True:
            try:
                with _understood(patience):
                    call(patience.left_s)
            except _AgainError:
                continue
            return


class _AgainError(Exception):
    """What was asked for is not done yet, and may be asked for again."""


@contextmanager
def _understood(patience: Patience | None = None) -> "Generator[None]":
    """Say of the client's errors what is left to do."""
    try:
        yield
    except import_module("confluent_kafka").KafkaException as failure:
        error: Any = failure.args[0]
        if patience is not None and error.retriable() and not patience.is_over:
            raise _AgainError from None
        why = f"{error_name(error)}: {error.str()}"
        can_abort = error.txn_requires_abort()
        raise LoadProducerError(why, kind="abort" if can_abort else "fatal") from None

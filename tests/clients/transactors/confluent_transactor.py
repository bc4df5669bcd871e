"""Transactor for KIP-691's template with confluent-kafka's producers."""

from collections.abc import Callable

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from tests.clients.python.confluent_end import end
from tests.clients.transactors.transactor import Raised, Setup


class ConfluentTransactor:
    """Implementation of `Transactor`."""

    def __init__(self, bootstrap_servers: str, transactional_id: str, setup: Setup) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._timeout_s = setup.call_timeout_ms / 1000
        self._is_transactional = setup.is_transactional
        self._reports: list[str] = []
        self._knows_topic = False
        settings: dict[str, str | int] = {
            "bootstrap.servers": bootstrap_servers,
            "message.timeout.ms": setup.delivery_timeout_ms,
            "socket.timeout.ms": setup.request_timeout_ms,
            "retry.backoff.ms": 20,
            "reconnect.backoff.ms": 10,
            "linger.ms": 0,
            "compression.type": "gzip" if setup.compresses else "none",
            "log_level": 0,
        }
        if setup.is_transactional:
            settings["transactional.id"] = transactional_id
        else:
            settings["enable.idempotence"] = str(setup.acks == "all").lower()
            settings["acks"] = setup.acks
        if setup.uses_sasl:
            settings |= {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "app",
                "sasl.password": "secret",
            }
        self._producer = Producer(settings)

    def init_transactions(self) -> Raised | None:
        if not self._is_transactional:
            return None
        return _raised_by(lambda: self._producer.init_transactions(self._timeout_s))

    def begin_transaction(self) -> Raised | None:
        return _raised_by(self._producer.begin_transaction)

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        """Send a record; the client knows the topic before it sends the first one.

        Otherwise it asks for the topic again `retry.backoff.ms` later, and the answer ends an error
        of the topic that a transaction has met by then (`rd_kafka_metadata_fast_leader_query`): the
        result would depend on how fast the machine is.
        """
        if self._is_transactional and not self._knows_topic:
            raised = _raised_by(lambda: self._producer.list_topics(timeout=self._timeout_s))
            if raised is not None:
                return raised
            self._knows_topic = True
        return _raised_by(
            lambda: self._producer.produce(
                topic, value, partition=partition, on_delivery=self._on_delivery
            )
        )

    def _on_delivery(self, error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            self._reports.append(error.name())

    def flush(self) -> Raised | None:
        """Flush; fatal errors are raised by the next call.

        Whether `flush` itself raises them is random, and it may be a SystemError if a report is
        served at the same time.
        """
        has_failed = _fails(lambda: self._producer.flush(self._timeout_s))
        if self._is_transactional or not (has_failed or len(self._producer)):
            return None
        # No commit will raise the error.
        has_failed = has_failed or _fails(lambda: self._producer.poll(0))
        return Raised("_FATAL" if has_failed else "no end")

    def reports(self) -> list[str]:
        told, self._reports = self._reports, []
        return told

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        member_of_none = Consumer(
            {"bootstrap.servers": self._bootstrap_servers, "group.id": group, "log_level": 0}
        )
        try:
            return _raised_by(
                lambda: self._producer.send_offsets_to_transaction(
                    [TopicPartition(topic, partition, offset)],
                    member_of_none.consumer_group_metadata(),
                    self._timeout_s,
                )
            )
        finally:
            member_of_none.close()

    def commit_transaction(self) -> Raised | None:
        return _raised_by(lambda: self._producer.commit_transaction(self._timeout_s))

    def abort_transaction(self) -> Raised | None:
        return _raised_by(lambda: self._producer.abort_transaction(self._timeout_s))

    def close(self) -> None:
        """End the producer: a report that is not served would keep it alive.

        So would a SystemError (see `flush`), whose traceback the client never frees.
        """
        end(self._producer)
        del self._producer


def _raised_by(call: Callable[[], object]) -> Raised | None:
    try:
        call()
    except KafkaException as exception:
        error: KafkaError = exception.args[0]
        return Raised(error.name(), _said_of(error))
    return None


def _said_of(error: KafkaError) -> str:
    if error.fatal():
        return "fatal"
    if error.txn_requires_abort():
        return "abortable"
    return "retriable" if error.retriable() else ""


class ConfluentTransactors:
    """Implementation of `TransactorClient`."""

    def transactor(
        self, bootstrap_servers: str, transactional_id: str, setup: Setup
    ) -> ConfluentTransactor:
        return ConfluentTransactor(bootstrap_servers, transactional_id, setup)


def _fails(call: Callable[[], object]) -> bool:
    try:
        call()
    except (KafkaException, SystemError):
        return True
    return False

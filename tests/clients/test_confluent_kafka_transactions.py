"""confluent-kafka's transactional producer, on librdkafka."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from tests.clients.support.deadline import TIMEOUT_S, collect_values
from tests.clients.support.transaction_scenarios import TOO_LARGE, Errors, OffsetScenarios, Scene
from tests.clients.support.transactional_client import ClientError

pytestmark = pytest.mark.slow

BEFORE_KIP_360 = ("0.11", "1.1", "2.3", "2.4")


@contextmanager
def named_errors() -> Generator[None]:
    try:
        yield
    except (KafkaException, SystemError) as exception:
        # serving a delivery report while a fatal error is being raised makes that a SystemError
        cause = exception.__cause__ if isinstance(exception, SystemError) else exception
        if not isinstance(cause, KafkaException):
            raise
        error: KafkaError = cause.args[0]
        raise ClientError(error.name(), str(error)) from exception


class ConfluentProducer:
    def __init__(self, bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap_servers,
                "transactional.id": transactional_id,
                "transaction.timeout.ms": timeout_ms,
                "linger.ms": 0,
                "log_level": 0,
            }
        )
        with named_errors():
            self._producer.init_transactions(TIMEOUT_S)

    def begin(self) -> None:
        with named_errors():
            self._producer.begin_transaction()

    def send(self, topic: str, partition: int, value: str) -> None:
        reports: list[KafkaError | None] = []

        def on_delivery(error: KafkaError | None, _message: Message) -> None:
            reports.append(error)

        with named_errors():
            self._producer.produce(topic, value, partition=partition, on_delivery=on_delivery)
            assert self._producer.flush(TIMEOUT_S) == 0
            assert len(reports) == 1
            if reports[0] is not None:
                raise KafkaException(reports[0])

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        member_of_none = Consumer(
            {"bootstrap.servers": self._bootstrap_servers, "group.id": group, "log_level": 0}
        )
        try:
            with named_errors():
                self._producer.send_offsets_to_transaction(
                    [TopicPartition(topic, partition, offset)],
                    member_of_none.consumer_group_metadata(),
                    TIMEOUT_S,
                )
        finally:
            member_of_none.close()

    def commit(self) -> None:
        with named_errors():
            self._producer.commit_transaction(TIMEOUT_S)

    def abort(self) -> None:
        with named_errors():
            self._producer.abort_transaction(TIMEOUT_S)

    def close(self) -> None:
        self._producer.purge()


class ConfluentClient:
    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> ConfluentProducer:
        return ConfluentProducer(bootstrap_servers, transactional_id, timeout_ms)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        consumer = Consumer(
            {
                "bootstrap.servers": bootstrap_servers,
                "group.id": "unused",
                "enable.auto.commit": False,
                "isolation.level": isolation_level,
                "fetch.wait.max.ms": 50,  # closing waits for the fetch under way
                "log_level": 0,
            }
        )
        try:
            consumer.assign([TopicPartition(topic, partition, 0)])
            return collect_values(lambda: map(value, consumer.consume(100, timeout=0.1)), last)
        finally:
            consumer.close()


def value(message: Message) -> str:
    assert message.error() is None, message.error()
    received = message.value()
    assert received is not None
    return received.decode()


@pytest.fixture
def client() -> ConfluentClient:
    return ConfluentClient()


class TestTransactions(OffsetScenarios):
    releases = ("4.4", "3.9", "2.4", "0.11")
    errors = Errors(
        fenced_commit="_FENCED",
        fenced_send="_FENCED",
        timed_out_commit="_FENCED",
        too_large_send="MSG_SIZE_TOO_LARGE",
        out_of_order_send="OUT_OF_ORDER_SEQUENCE_NUMBER",
        next_after_too_large="_PURGE_QUEUE",
    )
    can_abort_after_out_of_order = False  # it is fatal

    def test_after_a_refused_record_the_second_abort_bumps_the_epoch(self, scene: Scene) -> None:
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            self.fail(lambda: producer.send(scene.topic, 0, TOO_LARGE), self.errors.too_large_send)
            producer.abort()
            producer.begin()
            with pytest.raises(ClientError, match="_PURGE_QUEUE"):
                producer.send(scene.topic, 0, "skips a sequence number")
            if scene.release in BEFORE_KIP_360:  # InitProducerId does not bump yet
                with pytest.raises(ClientError, match="_UNSUPPORTED_FEATURE"):
                    producer.abort()
                return
            producer.abort()
            self.commit(scene, producer, "kept")
        assert scene.committed() == ["kept"]
        assert scene.transactional_batches()[-1].producer_epoch > 0

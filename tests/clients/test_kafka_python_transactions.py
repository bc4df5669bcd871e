# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
"""kafka-python's transactional producer."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from tests.clients.support.deadline import TIMEOUT_S, collect_values
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios
from tests.clients.support.transactional_client import ClientError

pytestmark = pytest.mark.slow


@contextmanager
def named_errors() -> Iterator[None]:
    try:
        yield
    except KafkaError as error:
        raise ClientError(type(error).__name__, str(error)) from error


class KafkaPythonProducer:
    def __init__(self, bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> None:
        self._producer = KafkaProducer(
            bootstrap_servers=bootstrap_servers,
            transactional_id=transactional_id,
            transaction_timeout_ms=timeout_ms,
        )
        with named_errors():
            self._producer.init_transactions()

    def begin(self) -> None:
        with named_errors():
            self._producer.begin_transaction()

    def send(self, topic: str, partition: int, value: str) -> None:
        with named_errors():
            self._producer.send(topic, value.encode(), partition=partition).get(TIMEOUT_S)

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        offsets = {TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)}
        with named_errors():
            self._producer.send_offsets_to_transaction(offsets, group)

    def commit(self) -> None:
        with named_errors():
            self._producer.commit_transaction()

    def abort(self) -> None:
        with named_errors():
            self._producer.abort_transaction()

    def close(self) -> None:
        self._producer.close(TIMEOUT_S)


class KafkaPythonClient:
    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> KafkaPythonProducer:
        return KafkaPythonProducer(bootstrap_servers, transactional_id, timeout_ms)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap_servers,
            group_id=None,
            isolation_level=isolation_level,
            fetch_max_wait_ms=50,  # closing waits for the fetch under way
        )
        try:
            consumer.assign([TopicPartition(topic, partition)])
            consumer.seek_to_beginning()
            return collect_values(lambda: polled(consumer), last)
        finally:
            consumer.close()


def polled(consumer: KafkaConsumer) -> Iterator[str]:
    for messages in consumer.poll(timeout_ms=1000).values():
        for message in messages:
            yield message.value.decode()


@pytest.fixture
def client() -> KafkaPythonClient:
    return KafkaPythonClient()


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFencedError",
        fenced_send="InvalidProducerEpochError",
        timed_out_commit="ProducerFencedError",
        too_large_send="MessageSizeTooLargeError",
        out_of_order_send="OutOfOrderSequenceNumberError",
        next_after_too_large="OutOfOrderSequenceNumberError",
    )
    # it bumps its epoch by itself then, and neither waits for that nor forgets the transaction
    can_abort_after_out_of_order = False

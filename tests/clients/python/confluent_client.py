"""Client confluent-kafka for the scenarios."""

from collections.abc import Iterator
from typing import Final, cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from tests.clients.python.confluent_admin import ConfluentAdmin
from tests.clients.python.confluent_end import end
from tests.clients.python.confluent_errors import named_errors
from tests.clients.python.samples import checked_digests
from tests.clients.support.deadline import TIMEOUT_S, collect, collect_values
from tests.clients.support.matrix_client import BATCH_MAX, Received
from tests.clients.support.records import (
    PARTITION_COUNT,
    RECORD_COUNT,
    TOPIC_CONFIGS,
    Record,
    in_sending_order,
    sample_partitions,
)

_POLL_S: Final = 0.1


class ConfluentProducer:
    """Implementation of `TransactionalProducer`."""

    def __init__(self, bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._producer = transactional(bootstrap_servers, transactional_id, timeout_ms)
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
        end(self._producer)
        del self._producer


class ConfluentMember:
    """Implementation of `GroupMember`."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer

    def poll(self) -> list[Received]:
        return list(map(as_received, polled(self._consumer, 1_000)))

    def assignment(self) -> list[int]:
        return sorted(each.partition for each in self._consumer.assignment())

    def commit(self) -> None:
        with named_errors():
            self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self._consumer.close()


class ConfluentProcessor:
    """Implementation of `Processor`."""

    def __init__(self, consumer: Consumer, producer: Producer, *, source: str, target: str) -> None:
        self._consumer = consumer
        self._producer = producer
        self._source = source
        self._target = target

    def process(self, *, commit: bool) -> list[Received]:
        records = list(map(as_received, polled(self._consumer, BATCH_MAX)))
        if not records:
            return []
        with named_errors():
            self._producer.begin_transaction()
            for record in records:
                self._producer.produce(
                    self._target, record.value.upper(), partition=record.partition
                )
            self._producer.send_offsets_to_transaction(
                self._consumer.position(self._consumer.assignment()),
                self._consumer.consumer_group_metadata(),
                TIMEOUT_S,
            )
            if commit:
                self._producer.commit_transaction(TIMEOUT_S)
            else:
                self._producer.flush(TIMEOUT_S)  # an abort purges what is still queued
                self._producer.abort_transaction(TIMEOUT_S)
        return records

    def close(self) -> None:
        self._consumer.close()
        end(self._producer)
        del self._producer


class ConfluentClient:
    """Implementation of `MatrixClient`."""

    def __init__(self, group_protocol: str = "classic") -> None:
        self._group_protocol = group_protocol

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> ConfluentProducer:
        return ConfluentProducer(bootstrap_servers, transactional_id, timeout_ms)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        consumer = reader(bootstrap_servers, {"isolation.level": isolation_level})
        try:
            consumer.assign([TopicPartition(topic, partition, 0)])
            return collect_values(
                lambda: [as_received(each).value for each in polled(consumer, 100)], last
            )
        finally:
            consumer.close()

    def round_trip(self, bootstrap_servers: str, topic: str, compression: str) -> list[str]:
        self.admin(bootstrap_servers).create_topic(topic, PARTITION_COUNT, TOPIC_CONFIGS)
        write_samples(bootstrap_servers, topic, compression)
        consumer = reader(bootstrap_servers, {})
        try:
            consumer.assign(
                [TopicPartition(topic, partition, 0) for partition in range(PARTITION_COUNT)]
            )
            return checked_digests(
                collect(lambda: map(as_sample, polled(consumer, 1_000)), RECORD_COUNT)
            )
        finally:
            consumer.close()

    def join(
        self, bootstrap_servers: str, group: str, topic: str, instance_id: str | None = None
    ) -> ConfluentMember:
        return ConfluentMember(
            subscribed(bootstrap_servers, group, topic, self._group_protocol, instance_id)
        )

    def processor(
        self,
        bootstrap_servers: str,
        *,
        transactional_id: str,
        group: str,
        source: str,
        target: str,
    ) -> ConfluentProcessor:
        producer = transactional(bootstrap_servers, transactional_id, 60_000)
        with named_errors():
            producer.init_transactions(TIMEOUT_S)
        consumer = subscribed(bootstrap_servers, group, source, self._group_protocol)
        return ConfluentProcessor(consumer, producer, source=source, target=target)

    def admin(self, bootstrap_servers: str) -> ConfluentAdmin:
        return ConfluentAdmin(bootstrap_servers)


def transactional(bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> Producer:
    """Return a producer without a producer id yet."""
    return Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "transactional.id": transactional_id,
            "transaction.timeout.ms": timeout_ms,
            "linger.ms": 0,
            "log_level": 0,
        }
    )


def reader(bootstrap_servers: str, settings: dict[str, str | int]) -> Consumer:
    """Return a consumer that does not commit automatically."""
    return Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "unused",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 50,  # closing waits for the fetch under way
            "log_level": 0,
            **settings,
        }
    )


def subscribed(
    bootstrap_servers: str,
    group: str,
    topic: str,
    group_protocol: str,
    instance_id: str | None = None,
) -> Consumer:
    """Return a consumer that joins the group."""
    settings: dict[str, str | int] = {
        "group.id": group,
        "group.protocol": group_protocol,
        "isolation.level": "read_committed",
    }
    if group_protocol == "classic":  # else the broker chooses them
        settings |= {"heartbeat.interval.ms": 100, "session.timeout.ms": 30_000}
    if instance_id is not None:
        settings["group.instance.id"] = instance_id
    consumer = reader(bootstrap_servers, settings)
    consumer.subscribe([topic])
    return consumer


def polled(consumer: Consumer, count_max: int) -> Iterator[Message]:
    """Wait a moment for a message; yield it and all that are available then."""
    first = consumer.poll(_POLL_S)
    if first is not None:
        yield checked(first)
        yield from map(checked, consumer.consume(count_max - 1, timeout=0))


def checked(message: Message) -> Message:
    """Return the message, unless it is missing or an error."""
    assert message.error() is None, message.error()
    return message


def as_received(message: Message) -> Received:
    """Convert messages to the form for group tests."""
    partition, offset, value = message.partition(), message.offset(), message.value()
    assert partition is not None
    assert offset is not None
    assert value is not None
    return Received(partition, offset, value.decode())


def as_sample(message: Message) -> tuple[int, Record]:
    """Convert a message to a sample, with its partition."""
    partition = message.partition()
    assert partition is not None
    return partition, Record(
        key=message.key(),
        value=message.value(),
        timestamp_ms=message.timestamp()[1],
        headers=tuple(cast("list[tuple[str, bytes | None]]", message.headers() or [])),
    )


def write_samples(bootstrap_servers: str, topic: str, compression: str) -> None:
    """Produce all samples."""
    refusals: list[KafkaError] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            refusals.append(error)

    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "compression.type": compression,
            "linger.ms": 20,
            "on_delivery": on_delivery,
        }
    )
    for partition, record in in_sending_order(sample_partitions()):
        producer.produce(
            topic,
            partition=partition,
            key=record.key,
            value=record.value,
            timestamp=record.timestamp_ms,
            headers=list(record.headers),
        )
    assert producer.flush(TIMEOUT_S) == 0
    assert refusals == []

"""Client kafka-python for the scenarios; it has no type annotations, hence the basic check."""

from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, NewTopic
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from tests.clients.python.samples import checked_digests
from tests.clients.support.deadline import TIMEOUT_S, collect, collect_values, wait_until
from tests.clients.support.matrix_client import BATCH_MAX, GroupState, Received
from tests.clients.support.records import (
    PARTITION_COUNT,
    RECORD_COUNT,
    TOPIC_CONFIGS,
    Record,
    in_sending_order,
    sample_partitions,
)
from tests.clients.support.transactional_client import ClientError

_POLL_MS: Final = 100


@contextmanager
def named_errors() -> Generator[None]:
    """Convert the client's errors to those of the scenarios."""
    try:
        yield
    except KafkaError as error:
        raise ClientError(type(error).__name__, str(error)) from error


class KafkaPythonProducer:
    """Implementation of `TransactionalProducer`."""

    def __init__(self, bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> None:
        self._producer = transactional(bootstrap_servers, transactional_id, timeout_ms)

    def begin(self) -> None:
        with named_errors():
            self._producer.begin_transaction()

    def send(self, topic: str, partition: int, value: str) -> None:
        with named_errors():
            try:
                self._producer.send(topic, value.encode(), partition=partition).get(TIMEOUT_S)
            except KafkaError:
                # its thread asks for another epoch, and may abort what a successor begins meanwhile
                wait_until(lambda: not self._producer._transaction_manager.is_bumping_epoch())  # noqa: SLF001
                raise

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


class KafkaPythonMember:
    """A GroupMember, whose client is in a poll all the time, in a thread of its own.

    When a poll ends while the client joins, the next one drops what it was assigned, and joins
    again: two members that take turns in one thread may do so for ever.
    """

    def __init__(self, consumer: KafkaConsumer) -> None:
        self._consumer = consumer
        self._received: SimpleQueue[Received] = SimpleQueue()
        self._is_closing = False
        self._thread = ThreadPoolExecutor(1)
        self._polling = self._thread.submit(self._poll_on)

    def _poll_on(self) -> None:
        for message in polled(self._consumer):
            self._received.put(as_received(message))
        if not self._is_closing:
            self._polling = self._thread.submit(self._poll_on)  # after calls that wait

    def poll(self) -> list[Received]:
        received: list[Received] = []
        with suppress(Empty):
            received.append(self._received.get(timeout=_POLL_MS / 1000))
            while True:
                received.append(self._received.get_nowait())
        if self._polling.done():
            self._polling.result()  # it has failed
        return received

    def assignment(self) -> list[int]:
        assigned = self._thread.submit(self._consumer.assignment).result()
        return sorted(each.partition for each in assigned)

    def commit(self) -> None:
        with named_errors():
            self._thread.submit(self._consumer.commit).result()

    def close(self) -> None:
        self._is_closing = True
        self._thread.shutdown()
        self._consumer.close()


class KafkaPythonProcessor:
    """Implementation of `Processor`."""

    def __init__(self, consumer: KafkaConsumer, producer: KafkaProducer, target: str) -> None:
        self._consumer = consumer
        self._producer = producer
        self._target = target

    def process(self, *, commit: bool) -> list[Received]:
        records = list(map(as_received, polled(self._consumer)))
        if not records:
            return []
        with named_errors():
            self._producer.begin_transaction()
            for record in records:
                value = record.value.upper().encode()
                self._producer.send(self._target, value, partition=record.partition)
            self._producer.send_offsets_to_transaction(
                {
                    partition: OffsetAndMetadata(self._consumer.position(partition), "", -1)
                    for partition in self._consumer.assignment()
                },
                self._consumer.group_metadata(),
            )
            self._producer.flush(TIMEOUT_S)
            if commit:
                self._producer.commit_transaction()
            else:
                self._producer.abort_transaction()
        return records

    def close(self) -> None:
        self._consumer.close()
        self._producer.close(TIMEOUT_S)


class KafkaPythonAdmin:
    """Implementation of `Admin`."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._bootstrap_servers = bootstrap_servers

    def create_topic(self, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
        with self._client() as client:
            client.create_topics([NewTopic(topic, partitions, 1, topic_configs=dict(configs))])

    def topics(self) -> list[str]:
        with self._client() as client:
            return list(client.list_topics())

    def partition_count(self, topic: str) -> int:
        with self._client() as client:
            (described,) = client.describe_topics([topic])
        return len(described["partitions"])

    def topic_config(self, topic: str, name: str) -> str:
        with self._client() as client:
            configs = client.describe_configs([ConfigResource("topic", topic)], config_filter="all")
        return str(configs["topic"][topic][name]["value"])

    def alter_topic_config(self, topic: str, name: str, value: str) -> None:
        with self._client() as client:
            client.alter_configs([ConfigResource("topic", topic, configs={name: value})])

    def create_partitions(self, topic: str, total: int) -> None:
        with self._client() as client:
            client.create_partitions({topic: total})

    def groups(self) -> list[str]:
        with self._client() as client:
            return [group["group_id"] for group in client.list_groups()]

    def group_state(self, group: str) -> GroupState:
        with self._client() as client:
            described = client.describe_groups([group])[group]
        return GroupState(described["group_state"], len(described["members"]))

    def delete_group(self, group: str) -> None:
        with self._client() as client:
            ((name, error),) = client.delete_groups([group]).items()
        assert name == group
        if error != "OK":
            raise ClientError(error, group)

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        before = TopicPartition(topic, partition)
        with self._client() as client:
            return int(client.delete_records({before: before_offset})[before]["low_watermark"])

    def delete_topic(self, topic: str) -> None:
        with self._client() as client:
            client.delete_topics([topic])

    @contextmanager
    def _client(self) -> Generator[Any]:
        with (
            named_errors(),
            closing(KafkaAdminClient(bootstrap_servers=self._bootstrap_servers)) as client,
        ):
            yield client


class KafkaPythonClient:
    """Implementation of `MatrixClient`."""

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> KafkaPythonProducer:
        return KafkaPythonProducer(bootstrap_servers, transactional_id, timeout_ms)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        with closing(reader(bootstrap_servers, isolation_level=isolation_level)) as consumer:
            consumer.assign([TopicPartition(topic, partition)])
            return collect_values(
                lambda: [message.value.decode() for message in polled(consumer)], last
            )

    def round_trip(self, bootstrap_servers: str, topic: str, compression: str) -> list[str]:
        self.admin(bootstrap_servers).create_topic(topic, PARTITION_COUNT, TOPIC_CONFIGS)
        write_samples(bootstrap_servers, topic, compression)
        with closing(reader(bootstrap_servers)) as consumer:
            consumer.assign(
                [TopicPartition(topic, partition) for partition in range(PARTITION_COUNT)]
            )
            return checked_digests(collect(lambda: map(as_sample, polled(consumer)), RECORD_COUNT))

    def join(
        self, bootstrap_servers: str, group: str, topic: str, instance_id: str | None = None
    ) -> KafkaPythonMember:
        return KafkaPythonMember(
            subscribed(bootstrap_servers, group, topic, group_instance_id=instance_id)
        )

    def processor(
        self,
        bootstrap_servers: str,
        *,
        transactional_id: str,
        group: str,
        source: str,
        target: str,
    ) -> KafkaPythonProcessor:
        producer = transactional(bootstrap_servers, transactional_id, 60_000)
        consumer = subscribed(bootstrap_servers, group, source, max_poll_records=BATCH_MAX)
        return KafkaPythonProcessor(consumer, producer, target)

    def admin(self, bootstrap_servers: str) -> KafkaPythonAdmin:
        return KafkaPythonAdmin(bootstrap_servers)


def transactional(bootstrap_servers: str, transactional_id: str, timeout_ms: int) -> KafkaProducer:
    """Return a producer that has its producer id."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap_servers,
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
    )
    with named_errors():
        producer.init_transactions()
    return producer


def reader(bootstrap_servers: str, **settings: object) -> KafkaConsumer:
    """Return a consumer that reads from the start, and does not commit automatically."""
    return KafkaConsumer(
        bootstrap_servers=bootstrap_servers,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        fetch_max_wait_ms=50,  # closing waits for the fetch under way
        **settings,
    )


def subscribed(bootstrap_servers: str, group: str, topic: str, **settings: object) -> KafkaConsumer:
    """Return a consumer that joins the group."""
    consumer = reader(
        bootstrap_servers,
        group_id=group,
        heartbeat_interval_ms=100,
        session_timeout_ms=30_000,
        isolation_level="read_committed",
        **settings,
    )
    consumer.subscribe([topic])
    # When metadata comes only after it has joined as a leader, it joins again.
    wait_until(lambda: topic in consumer.topics() and has_seen_partitions(consumer, topic))
    return consumer


def has_seen_partitions(consumer: KafkaConsumer, topic: str) -> bool:
    """Return whether the client knows the topic's partitions."""
    return bool(consumer._coordinator._metadata_snapshot.get(topic))  # noqa: SLF001


def polled(consumer: KafkaConsumer) -> Iterator[Any]:
    """Wait a moment for messages."""
    for messages in consumer.poll(timeout_ms=_POLL_MS).values():
        yield from messages


def as_received(message: Any) -> Received:
    """Convert messages to the form for group tests."""
    return Received(message.partition, message.offset, message.value.decode())


def as_sample(message: Any) -> tuple[int, Record]:
    """Convert a message to a sample, with its partition."""
    return message.partition, Record(
        key=message.key,
        value=message.value,
        timestamp_ms=message.timestamp,
        headers=tuple(message.headers),
    )


def write_samples(bootstrap_servers: str, topic: str, compression: str) -> None:
    """Produce all samples."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap_servers,
        compression_type=None if compression == "none" else compression,
        linger_ms=20,
    )
    try:
        answers = [
            producer.send(
                topic,
                partition=partition,
                key=record.key,
                value=record.value,
                timestamp_ms=record.timestamp_ms,
                headers=list(record.headers),
            )
            for partition, record in in_sending_order(sample_partitions())
        ]
        producer.flush(TIMEOUT_S)
        for answer in answers:
            answer.get(TIMEOUT_S)
    finally:
        producer.close(TIMEOUT_S)

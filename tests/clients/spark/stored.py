"""Contents of topics, written and read without Spark."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias, cast

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.cimpl import KafkaError

from mockbroker.wire.cluster import WireCluster
from tests.clients.support.deadline import TIMEOUT_S

Headers: TypeAlias = Sequence[tuple[str, bytes]]

_START: Final = 0


class Stored(NamedTuple):
    """A record where it is."""

    partition: int
    offset: int
    key: str | None
    value: str
    headers: tuple[tuple[str, bytes], ...] = ()

    def __str__(self) -> str:
        """Write it on a line."""
        headers = "".join(f" {name}:{value.decode()}" for name, value in self.headers)
        return f"{self.partition}@{self.offset} {self.key}={self.value}{headers}"


class Sent(NamedTuple):
    """A record that is to be stored."""

    partition: int
    key: str
    value: str
    timestamp_ms: int
    headers: Headers = ()


def number_of(record: Stored) -> int:
    """Return which of the samples it is."""
    assert record.key is not None
    return int(record.key.removeprefix("key-"))


def send(bootstrap_servers: str, topic: str, records: Iterable[Sent]) -> None:
    """Have records stored, each partition's in order and at once."""
    at_once = {"linger.ms": 10_000, "log_level": 0}  # until it is flushed
    producer = Producer({"bootstrap.servers": bootstrap_servers, **at_once})
    _send(producer, topic, records)


def send_in_transactions(
    bootstrap_servers: str, topic: str, transactions: Iterable[tuple[bool, Iterable[Sent]]]
) -> None:
    """Have transactions stored; each says whether it is committed."""
    with_id = {"transactional.id": f"id-of-{topic}", "log_level": 0}
    producer = Producer({"bootstrap.servers": bootstrap_servers, **with_id})
    producer.init_transactions(TIMEOUT_S)
    for is_committed, records in transactions:
        producer.begin_transaction()
        _send(producer, topic, records)
        if is_committed:
            producer.commit_transaction(TIMEOUT_S)
        else:
            producer.abort_transaction(TIMEOUT_S)


def _send(producer: Producer, topic: str, records: Iterable[Sent]) -> None:
    for each in records:
        producer.produce(
            topic,
            key=each.key,
            value=each.value,
            partition=each.partition,
            timestamp=each.timestamp_ms,
            headers=list(each.headers),
        )
    assert producer.flush(TIMEOUT_S) == 0


def stored(
    bootstrap_servers: str, topic: str, isolation_level: str = "read_uncommitted"
) -> list[Stored]:
    """Return the records of a topic, in the order of partitions and offsets."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "not-used",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 5,  # nothing is to come
            "isolation.level": isolation_level,
            "log_level": 0,
        }
    )
    try:
        with WireCluster(bootstrap_servers) as cluster:
            partitions = list(cluster.topic(topic).leaders)
        consumer.assign([TopicPartition(topic, each, _START) for each in partitions])
        return sorted(_until_all_end(consumer, len(partitions)))
    finally:
        consumer.close()


def _until_all_end(consumer: Consumer, partitions: int) -> Iterable[Stored]:
    while partitions:
        message = consumer.poll(TIMEOUT_S)
        if message is None:
            raise TimeoutError(f"{partitions} partitions have not ended in {TIMEOUT_S} s")
        error = message.error()
        if error is not None:
            assert error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001
            partitions -= 1
            continue
        partition, offset = message.partition(), message.offset()
        key, value = message.key(), message.value()
        headers = cast("Headers", message.headers() or ())
        assert partition is not None
        assert offset is not None
        yield Stored(
            partition,
            offset,
            None if key is None else key.decode(),
            "" if value is None else value.decode(),
            tuple(headers),
        )

"""Time to a new group's first records: from subscribe() to the poll that has them.

    python -m bench.first_poll BOOTSTRAP confluent-kafka|kafka-python [--groups 3]

The first group of a fresh cluster, and those after it. Prints one JSON object.
"""

import argparse
import json
import time
import uuid
from collections.abc import Callable
from statistics import median
from typing import Final

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

_RECORDS: Final = 100
_POLL_S: Final = 0.1
_TIMEOUT_S: Final = 30.0


def fill(bootstrap: str, topic: str) -> None:
    """Create a topic with some records."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 2})
    new_topics = [NewTopic(topic, 1, 1)]
    created = admin.create_topics(new_topics)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    created[topic].result(_TIMEOUT_S)  # pyright: ignore[reportUnknownMemberType]
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 2})
    for number in range(_RECORDS):
        producer.produce(topic, b"%d" % number)
    assert producer.flush(_TIMEOUT_S) == 0


def confluent_s(bootstrap: str, topic: str) -> float:
    """Return the time that confluent-kafka needs for a new group."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": uuid.uuid4().hex,
            "auto.offset.reset": "earliest",
            "log_level": 2,
        }
    )
    try:
        begin = time.perf_counter()
        consumer.subscribe([topic])
        while time.perf_counter() - begin < _TIMEOUT_S:
            message = consumer.poll(_POLL_S)
            if message is not None and message.error() is None:
                return time.perf_counter() - begin
    finally:
        consumer.close()
    raise TimeoutError(topic)


def kafka_python_s(bootstrap: str, topic: str) -> float:
    """Return the time that kafka-python needs for a new group."""
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap, group_id=uuid.uuid4().hex, auto_offset_reset="earliest"
    )
    try:
        begin = time.perf_counter()
        consumer.subscribe([topic])
        while time.perf_counter() - begin < _TIMEOUT_S:
            if consumer.poll(timeout_ms=int(_POLL_S * 1000)):
                return time.perf_counter() - begin
    finally:
        consumer.close()
    raise TimeoutError(topic)


CLIENTS: Final[dict[str, Callable[[str, str], float]]] = {
    "confluent-kafka": confluent_s,
    "kafka-python": kafka_python_s,
}


def main() -> None:
    """Run the measurement of the command line, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bootstrap")
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("--groups", type=int, default=3)
    arguments = parser.parse_args()
    fill(arguments.bootstrap, "first-poll")
    take_s = CLIENTS[arguments.client]
    first_s = take_s(arguments.bootstrap, "first-poll")
    others_s = [take_s(arguments.bootstrap, "first-poll") for _ in range(arguments.groups)]
    values = {"first_ms": first_s * 1000, "next_ms": median(others_s) * 1000}
    print(json.dumps({"polls": values}))


if __name__ == "__main__":
    main()

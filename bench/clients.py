"""A real client's load: confluent-kafka produces, waits for single answers, and consumes.

    python -m bench.clients BOOTSTRAP BROKER_PROCESS_ID [--scale 1.0] [--seed 1]

Prints one JSON object: a phase's name to its rate, its broker's CPU seconds and what is missing.
Messages have keys of 4 to 20 bytes, values of half to one and a half times a size, and one in four
has headers. The CPU tells brokers apart better than the rate does: the client itself is the
bottleneck.
"""

import argparse
import json
import random
import time
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Final

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from bench import loadgen
from bench.machine import cpu_seconds

_PHASE_LIMIT_S: Final = 60.0
_SILENCE_LIMIT_S: Final = 3.0
_CONSUMED_TIMES: Final = 3
_DIFFERENT_MESSAGES: Final = 10_007
_HEADERS_ONE_IN: Final = 4
_HEADER_NAMES: Final = ("traceparent", "content-type", "id", "tenant", "schema")
_PRODUCER: Final[Mapping[str, str | int | bool]] = {
    "enable.idempotence": True,
    "acks": "all",
    "linger.ms": 5,
    "queue.buffering.max.messages": 200_000,
    "queue.buffering.max.kbytes": 262_144,
    "delivery.report.only.error": True,
    "log_level": 2,
}
_CONSUMER: Final[Mapping[str, str | int | bool]] = {
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "fetch.wait.max.ms": 50,
    "fetch.message.max.bytes": 4 << 20,
    # librdkafka stalls for a second when its own queue is full: let it never be.
    "queued.min.messages": 2_000_000,
    "queued.max.messages.kbytes": 1_048_576,
    "fetch.queue.backoff.ms": 1,
    "log_level": 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Result of one phase."""

    messages: int
    missing: int
    seconds: float
    broker_cpu_s: float
    round_trip_p50_us: float = 0.0

    @property
    def messages_per_s(self) -> float:
        """The rate."""
        return self.messages / self.seconds


class Stopwatch:
    """Wall time, and a broker's CPU time, of a `with running()` block."""

    def __init__(self, broker_process_id: int) -> None:
        self._broker_process_id = broker_process_id
        self.seconds = 0.0
        self.broker_cpu_s = 0.0

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """Measure the block."""
        cpu, wall = cpu_seconds(self._broker_process_id), time.perf_counter()
        yield
        self.seconds = time.perf_counter() - wall
        self.broker_cpu_s = cpu_seconds(self._broker_process_id) - cpu


Sent = tuple[bytes, bytes, list[tuple[str, str | bytes | None]]]
"""Key, value and headers of a message."""


def varied_messages(seed: int, size_bytes: int) -> list[Sent]:
    """Return messages that differ as those of applications do, the same for the same seed."""
    choose = random.Random(seed)
    messages: list[Sent] = []
    for _ in range(_DIFFERENT_MESSAGES):
        value = choose.randbytes(choose.randint(size_bytes // 2, size_bytes // 2 + size_bytes))
        headers: list[tuple[str, str | bytes | None]] = []
        if not choose.randrange(_HEADERS_ONE_IN):
            names = choose.sample(_HEADER_NAMES, choose.randint(1, 3))
            headers = [(name, choose.randbytes(choose.randint(0, 24))) for name in names]
        messages.append((choose.randbytes(choose.randint(4, 20)), value, headers))
    return messages


class ClientLoad:
    """The phases, against one broker; every topic is new and has one partition."""

    def __init__(self, bootstrap_servers: str, broker_process_id: int, seed: int = 1) -> None:
        self._address = bootstrap_servers
        self._servers = {"bootstrap.servers": bootstrap_servers}
        self._broker_process_id = broker_process_id
        self._seed = seed
        self._prefixes: list[str] = []

    def new_topic(self) -> str:
        """Create a topic and wait for its leader."""
        prefix = f"bench-{uuid.uuid4().hex[:12]}"
        self._prefixes.append(prefix)
        loadgen.run(self._address, "create", topic=prefix)
        return f"{prefix}-0"

    def delete_topics(self) -> None:
        """Delete the topics, to free the broker's memory, if it has DeleteTopics."""
        for prefix in self._prefixes:
            loadgen.run(self._address, "delete", topic=prefix)

    def produce(self, topic: str, count: int, size_bytes: int) -> Phase:
        """Produce `count` messages as fast as the client can, idempotently, acks=all."""
        producer = Producer({**self._servers, **_PRODUCER})
        messages = varied_messages(self._seed, size_bytes)
        failed: list[KafkaError] = []

        def on_delivery(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                failed.append(error)

        producer.produce(topic, b"first")  # connection and producer id come before the clock
        producer.flush(30)
        watch = Stopwatch(self._broker_process_id)
        deadline = time.monotonic() + _PHASE_LIMIT_S
        sent = 0
        with watch.running():
            while sent < count and time.monotonic() < deadline:
                key, value, headers = messages[sent % len(messages)]
                try:
                    producer.produce(topic, value, key, on_delivery=on_delivery, headers=headers)
                except BufferError:
                    producer.poll(0.002)
                    continue
                sent += 1
                if sent % 8192 == 0:
                    producer.poll(0)
            left = producer.flush(30)
        delivered = sent - left - len(failed)
        return _phase(watch, delivered, count - delivered)

    def round_trips(self, topic: str, count: int) -> Phase:
        """Produce and flush one message after the other."""
        settings: dict[str, str | int | bool] = {**self._servers, **_PRODUCER, "linger.ms": 0}
        producer = Producer({**settings, "socket.nagle.disable": True})
        producer.produce(topic, b"first")
        producer.flush(10)
        messages = varied_messages(self._seed, 100)
        took: list[float] = []
        watch = Stopwatch(self._broker_process_id)
        deadline = time.monotonic() + _PHASE_LIMIT_S
        with watch.running():
            while len(took) < count and time.monotonic() < deadline:
                key, value, headers = messages[len(took) % len(messages)]
                begin = time.perf_counter()
                producer.produce(topic, value, key, headers=headers)
                producer.flush(10)
                took.append(time.perf_counter() - begin)
        median_us = sorted(took)[len(took) // 2] * 1e6
        return _phase(watch, len(took), count - len(took), median_us)

    def consume(self, topic: str, count: int) -> Phase:
        """Consume a topic from its start, by assignment, until `count` messages or silence."""
        consumer = Consumer({**self._servers, **_CONSUMER, "group.id": topic})
        consumer.assign([TopicPartition(topic, 0, 0)])
        got = 0
        watch = Stopwatch(self._broker_process_id)
        deadline = time.monotonic() + _PHASE_LIMIT_S
        last = time.perf_counter()
        with watch.running():
            begin = time.perf_counter()
            while got < count and time.monotonic() < deadline:
                messages = consumer.consume(min(10_000, count - got), 0.5)
                new = sum(1 for message in messages if message.error() is None)
                got += new
                now = time.perf_counter()
                if new:
                    last = now
                elif now - last > _SILENCE_LIMIT_S:
                    break
        consumer.close()
        watch.seconds = last - begin  # the silence that told us it is over is not consuming
        return _phase(watch, got, count - got)


def _phase(watch: Stopwatch, messages: int, missing: int, p50_us: float = 0.0) -> Phase:
    return Phase(
        messages=messages,
        missing=missing,
        seconds=watch.seconds,
        broker_cpu_s=watch.broker_cpu_s,
        round_trip_p50_us=p50_us,
    )


def _fastest(load: ClientLoad, topic: str, count: int) -> Phase:
    """Consume several times, because one run is so short that other load on the machine matters."""
    phases = [load.consume(topic, count) for _ in range(_CONSUMED_TIMES)]
    return max(phases, key=lambda phase: phase.messages / phase.seconds)


def measure(load: ClientLoad, scale: float) -> dict[str, Phase]:
    """Run all phases and return them by name; `scale` multiplies their counts."""
    many, some, trips = (max(1, int(count * scale)) for count in (1_000_000, 200_000, 3_000))
    small, large = load.new_topic(), load.new_topic()
    phases = {
        "produce_100_b": load.produce(small, many, 100),
        "produce_1_kib": load.produce(large, some, 1024),
        "round_trip": load.round_trips(load.new_topic(), trips),
        # One message more than was counted: the one before the clock.
        "consume_100_b": _fastest(load, small, many + 1),
        "consume_1_kib": _fastest(load, large, some + 1),
    }
    load.delete_topics()
    return phases


def main() -> None:
    """Measure, and print the phases as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.clients")
    parser.add_argument("bootstrap_servers")
    parser.add_argument("broker_process_id", type=int)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    load = ClientLoad(options.bootstrap_servers, options.broker_process_id, options.seed)
    print(json.dumps({name: asdict(phase) for name, phase in measure(load, options.scale).items()}))


if __name__ == "__main__":
    main()

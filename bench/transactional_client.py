"""A real client's transactions: begin, ten messages and commit, repeatedly.

    python -m bench.transactional_client BOOTSTRAP BROKER_PROCESS_ID [--seconds 2]

Prints one JSON object: how many transactions were committed in which time, and what the broker
used of its processor meanwhile. librdkafka itself waits about a millisecond in each commit.
"""

import argparse
import json
import os
import time
import uuid
from collections.abc import Mapping
from typing import Final

from confluent_kafka import Producer

from bench import loadgen
from bench.machine import cpu_seconds

_MESSAGES: Final = 10
_WARM_UP_S: Final = 1.0
_TIMEOUT_S: Final = 20.0
_SETTINGS: Final[Mapping[str, str | int | bool]] = {
    "linger.ms": 5,
    "socket.nagle.disable": True,
    "log_level": 2,
}


class TransactionalClient:
    """One producer with a transactional id, and a topic of its own."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._address = bootstrap_servers
        self._topic = f"bench-{uuid.uuid4().hex[:12]}"
        loadgen.run(bootstrap_servers, "create", topic=self._topic)
        self._producer = Producer(
            {
                **_SETTINGS,
                "bootstrap.servers": bootstrap_servers,
                "transactional.id": self._topic,
            }
        )
        self._producer.init_transactions(_TIMEOUT_S)
        self._value = os.urandom(100)

    def transact(self, seconds: float) -> int:
        """Commit transactions for the given time, and return their number."""
        producer, topic, value = self._producer, f"{self._topic}-0", self._value
        committed = 0
        deadline = time.perf_counter() + seconds
        while time.perf_counter() < deadline:
            producer.begin_transaction()
            for _ in range(_MESSAGES):
                producer.produce(topic, value)
            producer.commit_transaction(_TIMEOUT_S)
            committed += 1
        return committed

    def delete_topic(self) -> None:
        """Delete the topics, to free the broker's memory, if it has DeleteTopics."""
        loadgen.run(self._address, "delete", topic=self._topic)


def measure(bootstrap_servers: str, process_id: int, seconds: float) -> dict[str, float]:
    """Warm up, then commit for the given time."""
    client = TransactionalClient(bootstrap_servers)
    client.transact(_WARM_UP_S)
    cpu, began = cpu_seconds(process_id), time.perf_counter()
    committed = client.transact(seconds)
    took = {
        "transactions": committed,
        "seconds": time.perf_counter() - began,
        "broker_cpu_s": cpu_seconds(process_id) - cpu,
    }
    client.delete_topic()
    return took


def main() -> None:
    """Measure, and print the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.transactional_client")
    parser.add_argument("bootstrap_servers")
    parser.add_argument("broker_process_id", type=int)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    took = measure(options.bootstrap_servers, options.broker_process_id, options.seconds)
    print(json.dumps({"transactions": took}))


if __name__ == "__main__":
    main()

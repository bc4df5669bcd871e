"""Round trip of kafka-python in a process of its own.

    python -m tests.clients.python.kafka_python_round_trip

A producer that cannot connect raises, and leaves a thread behind that tries for ever: here it ends
with the process. Reads one JSON object, what the client needs, and prints one with the `values` of
the topic, or with `error` and `detail`.
"""

import json
import os
import sys
from typing import Any

import kafka

from mockbroker.control.client_config import ClientNeeds, Login, client_config
from mockbroker.settings.listener_settings import SecurityProtocol


def main() -> None:
    """Store a record, read it back, and end without waiting for threads."""
    given = json.load(sys.stdin)
    needs = ClientNeeds(
        given["bootstrap_servers"],
        SecurityProtocol(given["security_protocol"]),
        ca_pem=given["ca_pem"],
        login=Login(*given["login"]),
    )
    settings = client_config("kafka-python", needs, {"bootstrap_timeout_ms": 6000})
    try:
        answer: dict[str, Any] = {"values": round_trip(settings, given["topic"], given["value"])}
    except kafka.errors.KafkaError as error:
        answer = {"error": type(error).__name__, "detail": str(error)}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    os._exit(0)


def round_trip(settings: dict[str, Any], topic: str, value: str) -> list[str]:
    """Store a record, and return the first of the topic."""
    producer = kafka.KafkaProducer(**settings, max_block_ms=5000)
    producer.send(topic, value.encode()).get(30)
    consumer = kafka.KafkaConsumer(topic, **settings, auto_offset_reset="earliest")
    return [next(consumer).value.decode()]


if __name__ == "__main__":
    main()

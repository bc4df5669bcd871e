"""Scenarios as text, with clients that meet them."""

from typing import Final

from mockbroker.scenario.reading import scenario_of
from mockbroker.scenario.scenario import Scenario

LOST_ACK: Final = """\
cluster: {topics: {orders: 1}}
faults:
  - id: lost-ack
    match: {api: Produce, topic: orders}
    effect: {lose_response: after_apply}
  - id: retry
    match: {api: Produce, topic: orders}
    trigger: {on_call: 2}
    effect: {hold: request}
steps:
  - wait_for: {fault: retry, held: 1}
  - clock.advance: 7d
  - fault.release: retry
  - wait_for: {records: 3, topic: orders}
  - partition.elect: {topic: orders, partition: 0}
expect:
  - no_loss: {topic: orders}
  - all_faults_fired
"""
"""The broker forgets the producer before that sends the batch of the lost answer again."""

PRODUCES: Final = """
import os
from confluent_kafka import Producer
producer = Producer({
    "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "enable.idempotence": True,
    "log_level": 2,
})
producer.produce("orders", b"order-1")
producer.flush()
producer.produce("orders", b"order-2")
producer.flush()
"""
"""A program that stores two records, one of them twice where its producer was forgotten."""


def scenario(text: str) -> Scenario:
    """Read a scenario of a file `a.yaml`."""
    return scenario_of(text, "a.yaml")

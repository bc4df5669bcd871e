"""Producer state of a replica created by a reassignment: only what the log still has (KIP-360)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from tests.conformance.batches import Item, Producer, batch
from tests.conformance.releases import defaults_since
from tests.conformance.requests import (
    delete_records,
    new_producer,
    produce,
)
from tests.conformance.scenarios.reassignments import Shape, await_shape, reassign
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

SINCE_2_4 = defaults_since("2.4")


def move(talk: Talk, topic: str, broker: int) -> None:
    """Move a topic's only replica to a broker."""
    version = talk.latest(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
    talk.ask(f"to {broker}", reassign((topic, 0, [broker])), version, broker=CONTROLLER)
    await_shape(talk, topic, Shape(0, [broker], leader=broker))
    talk.settle(topic, [broker])


def write(talk: Talk, title: str, who: Producer, sequence: int, *, broker: int) -> None:
    """Write one record."""
    producer = Producer(who.producer_id, who.producer_epoch, sequence)
    data = batch(Item(), at_ms=talk.at(0), producer=producer)
    request = produce(talk, ("t", 0, data))
    talk.ask(f"{title}: {sequence}", request, talk.latest(ApiKey.PRODUCE, 12), broker=broker)


def see(talk: Talk, broker: int) -> None:
    """Describe the producers, if the release has the API."""
    if talk.versions(ApiKey.DESCRIBE_PRODUCERS):
        asked = [TopicRequest(name="t", partition_indexes=[0])]
        talk.ask("producers", DescribeProducersRequest(topics=asked), 0, broker=broker)


@scenario(brokers=3, presets=SINCE_2_4)
def producers_of_a_moved_partition(talk: Talk) -> None:
    talk.topic("t", assignments=[[1]])
    one, other = new_producer(talk), new_producer(talk)
    for sequence in (0, 1, 2):
        write(talk, "the first", one, sequence, broker=1)
    gone = delete_records(("t", 0, -1))
    talk.ask("delete", gone, talk.latest(ApiKey.DELETE_RECORDS))
    for sequence in (0, 1):
        write(talk, "the other", other, sequence, broker=1)
    see(talk, 1)
    write(talk, "the first again", one, 2, broker=1)
    move(talk, "t", 2)
    see(talk, 2)
    write(talk, "the first again", one, 1, broker=2)
    write(talk, "the other again", other, 0, broker=2)
    write(talk, "the other goes on", other, 2, broker=2)
    write(talk, "the other leaves one out", other, 4, broker=2)
    write(talk, "the first goes on", one, 3, broker=2)
    see(talk, 2)
    move(talk, "t", 1)
    write(talk, "the other again", other, 2, broker=1)
    write(talk, "the other goes on", other, 3, broker=1)
    see(talk, 1)

"""Names of topics within the bytes of consumers."""

import pytest

from mockbroker.diff.topic_names_in_bytes import mapped_assignment, mapped_subscription
from mockbroker.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
)
from mockbroker.protocol.versioned import write_versioned


def renamed(name: str) -> str:
    return f"run-{name}"


def subscription(*topics: str, owned: str, version: int) -> bytes:
    owns = [TopicPartition(topic=owned, partitions=[0, 1])]
    message = ConsumerProtocolSubscription(
        topics=list(topics), user_data=b"u", owned_partitions=owns if version else []
    )
    return write_versioned(message, version)


@pytest.mark.parametrize("version", range(4))
def test_topics_of_a_subscription_are_renamed(version: int) -> None:
    data = subscription("a", "b", owned="b", version=version)
    expected = subscription("run-a", "run-b", owned="run-b", version=version)
    assert mapped_subscription(data, renamed) == expected


@pytest.mark.parametrize("number", [b"\x00\x63", b"\xff\xff"])
def test_an_unknown_version_is_read_as_kafka_reads_it(number: bytes) -> None:
    data = number + subscription("a", owned="", version=0)[2:]
    expected = number + subscription("run-a", owned="", version=0)[2:]
    assert mapped_subscription(data, renamed) == expected


def test_topics_of_an_assignment_are_renamed() -> None:
    def assignment(topic: str) -> bytes:
        assigned = [TopicPartition(topic=topic, partitions=[3])]
        return write_versioned(ConsumerProtocolAssignment(assigned_partitions=assigned), 1)

    assert mapped_assignment(assignment("a"), renamed) == assignment("run-a")


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xff" * 9, b"work of a", b"\x00\x00\x00"])
def test_other_bytes_stay(data: bytes) -> None:
    assert mapped_subscription(data, renamed) == data
    assert mapped_assignment(data, renamed) == data

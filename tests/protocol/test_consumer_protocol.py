from mockbroker.protocol.codec import encode
from mockbroker.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    TopicPartition,
    assigned_partitions,
)
from mockbroker.protocol.versioned import VERSION_BYTES


def test_the_partitions_of_an_assignment_are_read() -> None:
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[TopicPartition(topic="orders", partitions=[2, 0])]
    )
    for version in (0, 3):
        data = version.to_bytes(VERSION_BYTES, "big") + encode(assignment, version)
        assert assigned_partitions(data) == [("orders", 2), ("orders", 0)]


def test_other_bytes_assign_nothing() -> None:
    assert assigned_partitions(b"") == []
    assert assigned_partitions(b"anything") == []

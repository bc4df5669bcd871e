"""Names of topics in the metadata and the assignments of consumers, which are bytes in requests."""

from collections.abc import Callable
from typing import Final, TypeVar

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.versioned import VERSION_BYTES, read_version

MessageT = TypeVar("MessageT", bound=Message)
_NEWEST: Final = 3


def mapped_subscription(data: bytes, mapped: Callable[[str], str]) -> bytes:
    """Map the topics that a consumer subscribes to and owns; other bytes stay."""

    def change(subscription: ConsumerProtocolSubscription) -> None:
        subscription.topics = [mapped(name) for name in subscription.topics]
        for owned in subscription.owned_partitions:
            owned.topic = mapped(owned.topic)

    return _changed(ConsumerProtocolSubscription, data, change)


def mapped_assignment(data: bytes, mapped: Callable[[str], str]) -> bytes:
    """Map the topics that a consumer is assigned; other bytes stay."""

    def change(assignment: ConsumerProtocolAssignment) -> None:
        for assigned in assignment.assigned_partitions:
            assigned.topic = mapped(assigned.topic)

    return _changed(ConsumerProtocolAssignment, data, change)


def _changed(kind: type[MessageT], data: bytes, change: Callable[[MessageT], None]) -> bytes:
    if len(data) < VERSION_BYTES:
        return data
    version, body = data[:VERSION_BYTES], data[VERSION_BYTES:]
    # Kafka reads of a version that it does not know what it knows of the nearest one.
    nearest = min(max(read_version(version), 0), _NEWEST)
    for known in (nearest, 0):
        try:
            message = decode(kind, known, body)
        except DecodeError:
            continue
        if encode(message, known) == body:
            change(message)
            return version + encode(message, known)
    return data

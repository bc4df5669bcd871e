"""What the programs of the golden journals share: their clusters, producers and planted bugs."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from mockbroker import Cluster, Release
from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

_SENT_MS: Final = 1_700_000_000_000
"""The timestamp of all records: their checksums are the same each time."""


class Producer(WireProducer):
    """A producer whose records always have the same timestamp."""

    def send(self, base_sequence: int, value: bytes = b"order", topic: str = "orders") -> ErrorCode:
        """Write a record to the first partition of a topic."""
        return self.produce(topic, value, base_sequence=base_sequence, timestamp_ms=_SENT_MS).error

    def begin(self) -> None:
        """Add `orders-0` to the transaction."""
        check(self.add_partition("orders"))


class Made(NamedTuple):
    """A rule's program, and its expected finding."""

    make: Callable[[bool], list[Entry]]
    """Called with True for the journal that breaks the rule."""
    first_offset: int | None
    """First offset of the finding."""
    findings: int = 1


def running(kafka: Release = "4.4", /, **config: str) -> Cluster:
    """Return a cluster of three brokers with the topic `orders`, and a journal."""
    return Cluster(
        kafka=kafka,
        brokers=3,
        topics={"orders": int(config.pop("partitions", "1"))},
        config={"default.replication.factor": "3", **config},
        clock="manual",
        journal=True,
    )


def replaced(owner: type, name: str, bug: Callable[..., Any]) -> AbstractContextManager[object]:
    """Plant a bug in the broker."""
    return patch.object(owner, name, bug)


def check(*errors: ErrorCode, expected: ErrorCode = ErrorCode.NONE) -> None:
    """Assert the errors of all answers."""
    assert all(error is expected for error in errors), errors

"""Port through which a log reports what it does by itself."""

from collections.abc import Sequence
from typing import Protocol

from mockbroker.protocol.types import TopicPartition


class LogReporter(Protocol):
    """Reporter of changes that a log makes by itself; `EventReporter` implements it."""

    def log_start_moved(self, where: TopicPartition, before: int, after: int) -> None:
        """Report the deletion of records before an offset; the log start has not moved yet."""
        ...

    def log_truncated(self, where: TopicPartition, before: int, after: int) -> None:
        """Report a truncated log, whose end was at `before` and is at `after`."""
        ...

    def producers_expired(self, where: TopicPartition, producer_ids: Sequence[int]) -> None:
        """Report producers whose state a log has removed."""
        ...


class LogFollower(Protocol):
    """Log of a replica that fetches from another log; `Replica` implements it."""

    def fetch(self) -> None:
        """Copy what the other log has; its oldest records are deleted right after."""
        ...


class LogObserver(Protocol):
    """Observer of a log; `Observation` implements it."""

    @property
    def reporter(self) -> LogReporter | None:
        """The reporter of changes; None while there is no observer."""
        ...


class Unobserved:
    """Observer of a log that nobody observes."""

    reporter = None

"""Shared checks of requests that change topics: the controller, the timeout, repeated names."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.topic.topic import Topic

KeyT = TypeVar("KeyT", bound=Hashable)


def check_asked_controller(call: Call, why: str = "") -> None:
    """Check that this broker may change topics; with ZooKeeper only the controller may.

    Raises:
        ApiError: NOT_CONTROLLER.

    """
    cluster = call.cluster
    if cluster.options.topics.admin_only_at_controller and call.broker_id != cluster.controller_id:
        raise ApiError(ErrorCode.NOT_CONTROLLER, why)


class Deadline:
    """Effect of the timeout in a request that changes topics.

    Changes are immediate, so only a timeout of zero or less has an effect: with ZooKeeper the
    change is made and reported as timed out, with KRaft it is not made.
    """

    __slots__ = ("_work_is_done", "is_over")

    def __init__(self, call: Call, timeout_ms: int) -> None:
        """Take the timeout from the request."""
        self.is_over = timeout_ms <= 0
        self._work_is_done = call.cluster.options.topics.admin_timeout_applies_work

    def check_before_work(self) -> None:
        """Raise REQUEST_TIMED_OUT if the release makes no changes after a timeout."""
        if self.is_over and not self._work_is_done:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT)

    def check_after_work(self) -> None:
        """Raise REQUEST_TIMED_OUT if the release makes the changes despite a timeout."""
        if self.is_over and self._work_is_done:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT)


def repeated_last(call: Call, names: Iterable[KeyT]) -> tuple[list[KeyT], dict[KeyT, None]]:
    """Return the names of a request to process, in order, and the names that it repeats.

    The release determines which names are refused and where the response lists them: if in place,
    the first list includes the repeated names. The second is a set that keeps the order, because a
    request may repeat a hundred thousand names.
    """
    listed = list(names)
    counts = Counter(listed)
    repeated = {name: None for name, count in counts.items() if count > 1}
    if call.cluster.options.topics.repeated_topics_come_last:
        return [name for name in listed if counts[name] == 1], repeated
    return listed, repeated


def wake_readers(call: Call, topic: Topic) -> None:
    """Retry the delayed fetches of a topic."""
    for partition in topic.partitions:
        call.service.purgatory.touch(partition)

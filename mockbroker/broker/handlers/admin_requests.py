"""What the requests that change topics have in common: who may be asked, and for how long."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.topic.topic import Topic

KeyT = TypeVar("KeyT", bound=Hashable)


def check_asked_controller(call: Call, why: str = "") -> None:
    """Check that this broker may change topics: with ZooKeeper, only the controller does.

    Raises:
        ApiError: NOT_CONTROLLER.

    """
    cluster = call.cluster
    if cluster.options.topics.admin_only_at_controller and call.broker_id != cluster.controller_id:
        raise ApiError(ErrorCode.NOT_CONTROLLER, why)


class Deadline:
    """How the timeout of a request that changes topics turns out.

    Changes are made at once, so that only a timeout that leaves no time at all has an effect: with
    ZooKeeper the work is done and reported as timed out, with KRaft it is not begun.
    """

    __slots__ = ("_work_is_done", "is_over")

    def __init__(self, call: Call, timeout_ms: int) -> None:
        """Take the timeout as the request has it."""
        self.is_over = timeout_ms <= 0
        self._work_is_done = call.cluster.options.topics.admin_timeout_applies_work

    def check_before_work(self) -> None:
        """Raise REQUEST_TIMED_OUT where a timeout keeps the work from being begun."""
        if self.is_over and not self._work_is_done:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT)

    def check_after_work(self) -> None:
        """Raise REQUEST_TIMED_OUT where a timeout hides that the work was done."""
        if self.is_over and self._work_is_done:
            raise ApiError(ErrorCode.REQUEST_TIMED_OUT)


def repeated_last(call: Call, names: Iterable[KeyT]) -> tuple[list[KeyT], dict[KeyT, None]]:
    """Part the names of a request: those to work on in order, and those named more than once.

    Which of them are refused, and where in the answer they come, is the release's habit: the first
    list holds the repeated ones too where that is in place. The second is a set that keeps the
    order, because a request may repeat a hundred thousand names.
    """
    listed = list(names)
    counts = Counter(listed)
    repeated = {name: None for name, count in counts.items() if count > 1}
    if call.cluster.options.topics.repeated_topics_come_last:
        return [name for name in listed if counts[name] == 1], repeated
    return listed, repeated


def wake_readers(call: Call, topic: Topic) -> None:
    """Let those who wait for a topic's records look again."""
    for partition in topic.partitions:
        call.service.parking.touch(partition)

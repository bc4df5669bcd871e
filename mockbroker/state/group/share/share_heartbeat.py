"""Values of ShareGroupHeartbeat, and the checks of a request that need no group."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.modern.modern_records import PartitionEpochs

JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1


class ShareHeartbeat(NamedTuple):
    """A heartbeat; None stands for what has not changed."""

    group_id: str
    member_id: str
    member_epoch: int
    rack_id: str | None
    subscribed_topic_names: frozenset[str] | None
    client_id: str
    client_host: str

    @property
    def joins(self) -> bool:
        """True if the member joins, or joins again."""
        return self.member_epoch == JOIN_EPOCH


class ShareHeartbeatResult(NamedTuple):
    """The answer to a heartbeat."""

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    assigned: PartitionEpochs | None = None
    """The share partitions of the member; None if they have not changed."""


def check_heartbeat(request: ShareHeartbeat) -> None:
    """Check a request in Kafka's order.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    for value, field in (
        (request.member_id, "MemberId"),
        (request.group_id, "GroupId"),
        (request.rack_id, "RackId"),
    ):
        if value is not None and not value.strip():
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{field} can't be empty.")
    if request.joins and not request.subscribed_topic_names:
        why = "SubscribedTopicNames must be set in first request."
        raise ApiError(ErrorCode.INVALID_REQUEST, why)
    if request.member_epoch < LEAVE_EPOCH:
        raise ApiError(ErrorCode.INVALID_REQUEST, "MemberEpoch is invalid.")

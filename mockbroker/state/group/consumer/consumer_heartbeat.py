"""Values of ConsumerGroupHeartbeat, and the checks of a request that need no group."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.group_answers import TopicFilter
from mockbroker.state.group.consumer.consumer_group_member import (
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
)
from mockbroker.state.group.modern.modern_records import PartitionEpochs, Partitions

JOIN_EPOCH: Final = 0
NOT_GIVEN: Final = -1
FIRST_WITH_MEMBER_ID: Final = 1
"""The version from which clients choose their member ids (KIP-1082)."""


class ConsumerHeartbeat(NamedTuple):
    """A heartbeat; None and -1 stand for what has not changed."""

    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    rebalance_timeout_ms: int
    subscribed_topic_names: frozenset[str] | None
    subscribed_topic_regex: str | None
    server_assignor: str | None
    owned: Partitions | None
    client_id: str
    client_host: str
    may_describe: TopicFilter | None = None
    """The topics that the client has a right to; None: all."""

    @property
    def joins(self) -> bool:
        """True if the member joins, or joins again."""
        return self.member_epoch == JOIN_EPOCH

    @property
    def is_full(self) -> bool:
        """True if it has all fields, as after a lost answer."""
        subscribes = self.subscribed_topic_names, self.subscribed_topic_regex
        has_subscription = any(each is not None for each in subscribes)
        return (
            self.rebalance_timeout_ms != NOT_GIVEN and has_subscription and self.owned is not None
        )


class HeartbeatResult(NamedTuple):
    """The answer to a heartbeat."""

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    assigned: PartitionEpochs | None = None
    """The partitions that the member may own; None if they have not changed."""


def check_heartbeat(
    request: ConsumerHeartbeat,
    assignors: Callable[[], Sequence[str]],
    *,
    api_version: int,
    may_be_empty: bool = True,
) -> None:
    """Check a request in Kafka's order; `assignors` returns the known names.

    A subscription may be without topics since 4.0.

    Raises:
        ApiError: INVALID_REQUEST, UNSUPPORTED_ASSIGNOR.

    """
    member_epoch = request.member_epoch
    names_member = member_epoch > JOIN_EPOCH or member_epoch == LEAVE_EPOCH
    if api_version >= FIRST_WITH_MEMBER_ID or names_member:
        _require_text(request.member_id, "MemberId")
    _require_text(request.group_id, "GroupId")
    _require_text(request.instance_id, "InstanceId")
    _require_text(request.rack_id, "RackId")
    if member_epoch == JOIN_EPOCH:
        _check_join(request, may_be_empty=may_be_empty)
    elif member_epoch == STATIC_LEAVE_EPOCH:
        if request.instance_id is None:
            raise _invalid("InstanceId can't be null.")
    elif member_epoch < STATIC_LEAVE_EPOCH:
        raise _invalid("MemberEpoch is invalid.")
    if request.server_assignor is not None and request.server_assignor not in assignors():
        raise ApiError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {request.server_assignor} is not supported. Supported assignors:"
            f" {', '.join(assignors())}.",
        )


def _check_join(request: ConsumerHeartbeat, *, may_be_empty: bool) -> None:
    if request.rebalance_timeout_ms == NOT_GIVEN:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    if request.owned is None or request.owned:
        raise _invalid("TopicPartitions must be empty when (re-)joining.")
    if not may_be_empty and not request.subscribed_topic_names:
        raise _invalid("SubscribedTopicNames must be set in first request.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise _invalid(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when"
            " (re-)joining."
        )


def _require_text(value: str | None, field: str) -> None:
    if value is not None and not value.strip():
        raise _invalid(f"{field} can't be empty.")


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, why)

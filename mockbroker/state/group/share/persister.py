"""Calls of a group coordinator to the share coordinators (Kafka's `Persister`).

The first call creates `__share_group_state`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.share.share_state_host import ShareStateHost
from mockbroker.state.group.share.state_partitions import TopicStates
from mockbroker.state.share.share_coordinator import coordinator_of
from mockbroker.state.share.share_log_record import ShareGroupOffset, SharePartitionKey
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import SHARE_GROUP_STATE

if TYPE_CHECKING:
    from mockbroker.state.share.share_coordinator import ShareCoordinator

Refusals: TypeAlias = dict[Uuid, dict[int, ApiError]]
"""Errors by topic id and partition."""
StartOffsets: TypeAlias = Mapping[Uuid, Mapping[int, int]]
"""Start offsets by topic id and partition."""


class Persister:
    """The states of the share partitions of one broker's groups."""

    __slots__ = ("_host",)

    def __init__(self, host: ShareStateHost) -> None:
        """Use the share coordinators of a cluster."""
        self._host: Final = host

    def initialize(
        self, group_id: str, state_epoch: int, start_offsets: StartOffsets, now_ms: int
    ) -> Refusals:
        """Begin states, or begin them anew; return the errors."""
        refusals: Refusals = {}
        for topic_id, offsets in start_offsets.items():
            for partition, offset in offsets.items():
                key = SharePartitionKey(group_id, topic_id, partition)
                try:
                    self._coordinator(key).initialize(key, state_epoch, offset, now_ms)
                except ApiError as refusal:
                    refusals.setdefault(topic_id, {})[partition] = refusal
        return refusals

    def delete(self, group_id: str, topics: TopicStates, now_ms: int) -> Refusals:
        """Delete states; return the errors."""
        refusals: Refusals = {}
        for topic_id, topic in topics.items():
            for partition in sorted(topic.partitions):
                key = SharePartitionKey(group_id, topic_id, partition)
                try:
                    self._coordinator(key).delete(key, now_ms)
                except ApiError as refusal:
                    refusals.setdefault(topic_id, {})[partition] = refusal
        return refusals

    def summary(self, key: SharePartitionKey) -> ShareGroupOffset | None:
        """Return a state; None if it has not begun.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS,
                UNKNOWN_TOPIC_OR_PARTITION.

        """
        return self._coordinator(key).summary(key)

    def _coordinator(self, key: SharePartitionKey) -> "ShareCoordinator":
        """Return the share coordinator of a share partition.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE.

        """
        host = self._host
        if SHARE_GROUP_STATE not in host.topics:
            try:
                host.create_topic(internal_topic(SHARE_GROUP_STATE, host.configs))
            except ApiError as refusal:
                raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE, refusal.why) from refusal
        return coordinator_of(host, key)

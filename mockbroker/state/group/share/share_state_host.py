"""Protocol that the persister depends on: the cluster, and its share coordinators."""

from typing import TYPE_CHECKING, Protocol

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition, Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog
    from mockbroker.state.share.share_coordinator import ShareCoordinator


class ShareStateHost(Protocol):
    """The cluster as the persister uses it."""

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None if the topic or partition does not exist."""
        ...

    def log_of(self, partition: Partition, now_ms: int) -> "PartitionLog":
        """Return the log of a partition."""
        ...

    def create_topic(self, new_topic: NewTopic) -> Topic:
        """Create a topic at once.

        Raises:
            ApiError: The topic cannot be created.

        """
        ...

    def share_coordinator(self, broker_id: int) -> "ShareCoordinator":
        """Return a broker's share coordinator."""
        ...

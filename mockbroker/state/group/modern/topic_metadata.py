"""Topics as groups see them: ids, numbers of partitions and racks, and one hash of all of it.

A group compares the hash with that of its last epoch: another one begins a new epoch (KIP-1101).
"""

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Final, Protocol

from mockbroker.protocol.types import Uuid
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.java_hash import ids_in_java_hash_order
from mockbroker.state.topic.topic import Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

_HASH_BYTES: Final = 8
_MIDDLE: Final = 1 << 63


class TopicHost(Protocol):
    """The cluster's topics and brokers."""

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        ...

    @property
    def brokers(self) -> Mapping[int, Broker]:
        """The brokers by id."""
        ...


class TopicMetadata:
    """The topics of a cluster (Kafka's `CoordinatorMetadataImage`)."""

    __slots__ = ("_host",)

    def __init__(self, host: TopicHost) -> None:
        """Read the topics of a cluster whenever asked."""
        self._host: Final = host

    @property
    def revision(self) -> int:
        """A number that grows with every change of a topic."""
        return self._host.topics.revision

    @property
    def last_created(self) -> int:
        """The revision with the last created topic."""
        return self._host.topics.last_created

    def names(self) -> list[str]:
        """Return the names of all topics."""
        return list(self._host.topics.by_name)

    def ids(self, names: Collection[str]) -> tuple[Uuid, ...]:
        """Return the ids of the topics that exist, in the order of Java's hash table."""
        found = sorted(topic.topic_id for topic in self._existing(names))
        return tuple(ids_in_java_hash_order(found))

    def by_id(self, partitions: Mapping[str, Collection[int]]) -> dict[Uuid, frozenset[int]]:
        """Return partitions of the topics that exist, by topic id instead of name."""
        known = ((self._host.topics.get(name), each) for name, each in partitions.items())
        return {topic.topic_id: frozenset(each) for topic, each in known if topic is not None}

    def partition_counts(self, topic_ids: Iterable[Uuid]) -> dict[Uuid, int]:
        """Return the number of partitions of topics that exist."""
        topics = self._host.topics
        found = ((topic_id, topics.by_id(topic_id)) for topic_id in topic_ids)
        return {topic_id: len(topic.partitions) for topic_id, topic in found if topic is not None}

    def partition_count(self, name: str) -> int | None:
        """Return the number of partitions of a topic; None if it does not exist."""
        topic = self._host.topics.get(name)
        return None if topic is None else len(topic.partitions)

    def name_of(self, topic_id: Uuid) -> str | None:
        """Return a topic's name; None if it does not exist."""
        topic = self._host.topics.by_id(topic_id)
        return None if topic is None else topic.name

    def hash_of(self, names: Collection[str]) -> int:
        """Return a hash of the topics that exist, of 64 bits; 0 without topics.

        The function is another than Kafka's: nobody compares hashes of two clusters.
        """
        lines = [self._described(topic) for topic in self._existing(sorted(names))]
        if not lines:
            return 0
        digest = blake2b("\n".join(lines).encode(), digest_size=_HASH_BYTES).hexdigest()
        return int(digest, 16) - _MIDDLE

    def _described(self, topic: Topic) -> str:
        brokers = self._host.brokers
        racks = [
            sorted(
                brokers[node_id].rack or "" for node_id in partition.replicas if node_id in brokers
            )
            for partition in topic.partitions
        ]
        return f"{topic.topic_id} {topic.name} {racks}"

    def _existing(self, names: Iterable[str]) -> Iterable[Topic]:
        topics = self._host.topics
        return (topic for topic in map(topics.get, names) if topic is not None)

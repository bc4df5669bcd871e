"""Topics as groups see them: ids, numbers of partitions and racks, and one hash of all of it.

A group compares the hash with that of its last epoch: another one begins a new epoch (KIP-1101).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from struct import pack
from typing import Final, Protocol

from mockbroker.protocol.types import Uuid
from mockbroker.protocol.xxh3 import xxh3_64
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.java_hash import ids_in_java_hash_order
from mockbroker.state.topic.topic import Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

_MAGIC: Final = 0
"""The version of what is hashed; it comes first."""


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

    __slots__ = ("_hashes", "_host")

    def __init__(self, host: TopicHost) -> None:
        """Read the topics of a cluster whenever asked."""
        self._host: Final = host
        self._hashes: dict[Uuid, tuple[int, int]] = {}
        """The hash of a topic, and the revision of the topic that it belongs to."""

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

        It is that of Kafka's `Utils.computeGroupHash`.
        """
        hashes = [self._hash(topic) for topic in self._existing(sorted(names))]
        return xxh3_64(pack(f"<{len(hashes)}q", *hashes)) if hashes else 0

    def _hash(self, topic: Topic) -> int:
        revision, known = self._hashes.get(topic.topic_id, (-1, 0))
        if revision == topic.revision:
            return known
        if len(self._hashes) >= len(self._host.topics):
            self._hashes.clear()
        computed = xxh3_64(b"".join(self._hashed_parts(topic)))
        self._hashes[topic.topic_id] = topic.revision, computed
        return computed

    def _hashed_parts(self, topic: Topic) -> Iterator[bytes]:
        """Yield what Kafka's `Utils.computeTopicHash` hashes."""
        brokers, id_bits = self._host.brokers, topic.topic_id.int
        yield pack("<bQQ", _MAGIC, id_bits >> 64, id_bits & (1 << 64) - 1)
        yield _java_text(topic.name)
        yield pack("<i", len(topic.partitions))
        for index, partition in enumerate(topic.partitions):
            yield pack("<i", index)
            known = (brokers[node_id].rack for node_id in partition.replicas if node_id in brokers)
            for rack in sorted((each for each in known if each is not None), key=_java_order):
                units = _java_text(rack)
                yield units[-4:] + units

    def _existing(self, names: Iterable[str]) -> Iterable[Topic]:
        topics = self._host.topics
        return (topic for topic in map(topics.get, names) if topic is not None)


def _java_order(text: str) -> bytes:
    """Return the key by which Java sorts texts."""
    return text.encode("utf-16-be", "surrogatepass")


def _java_text(text: str) -> bytes:
    """Return a text as Java strings are hashed: its units of UTF-16, then their number."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units + pack("<i", len(units) // 2)

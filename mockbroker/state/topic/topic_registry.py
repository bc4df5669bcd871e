"""Topics of a cluster, by name and by id."""

from collections.abc import Iterator, Mapping

from mockbroker.protocol.types import Uuid
from mockbroker.state.topic.topic import Topic
from mockbroker.state.topic.topic_name import collision_key


class TopicRegistry:
    """The topics that exist; a recreated topic is a different topic."""

    __slots__ = ("_by_collision_key", "_by_id", "by_name", "last_created", "revision")

    def __init__(self) -> None:
        """Start without topics."""
        self.by_name: dict[str, Topic] = {}
        """Fast paths read this directly; only the methods change it."""
        self._by_id: dict[Uuid, Topic] = {}
        self._by_collision_key: dict[str, set[str]] = {}
        self.revision = 0
        """Counts created, deleted and changed topics."""
        self.last_created = 0
        """The revision with the last created topic."""

    def __len__(self) -> int:
        """Count the topics."""
        return len(self.by_name)

    def __iter__(self) -> Iterator[Topic]:
        """Iterate over the topics in the order of their creation."""
        return iter(self.by_name.values())

    def __contains__(self, name: str) -> bool:
        """Return whether a topic of this name exists."""
        return name in self.by_name

    def get(self, name: str) -> Topic | None:
        """Return the topic of this name, if any."""
        return self.by_name.get(name)

    def by_id(self, topic_id: Uuid) -> Topic | None:
        """Return the topic of this id, if any."""
        return self._by_id.get(topic_id)

    def colliding(self, name: str) -> frozenset[str]:
        """Return the other topics whose names differ from this one only in `.` and `_`."""
        return frozenset(self._by_collision_key.get(collision_key(name), ())) - {name}

    def add(self, topic: Topic) -> None:
        """Add a topic with a validated name."""
        assert topic.name not in self.by_name, topic.name
        assert topic.topic_id not in self._by_id, topic.topic_id
        self.by_name[topic.name] = topic
        self._by_id[topic.topic_id] = topic
        self._by_collision_key.setdefault(collision_key(topic.name), set()).add(topic.name)
        self.revision += 1
        self.last_created = self.revision

    def remove(self, topic: Topic) -> None:
        """Remove a topic."""
        del self.by_name[topic.name]
        del self._by_id[topic.topic_id]
        key = collision_key(topic.name)
        self._by_collision_key[key].discard(topic.name)
        if not self._by_collision_key[key]:
            del self._by_collision_key[key]
        self.revision += 1

    def changed(self, topic: Topic) -> None:
        """Record a change of a topic that Metadata shows."""
        topic.changed()
        self.revision += 1

    def ids(self) -> Mapping[Uuid, Topic]:
        """Return the topics by id; read only."""
        return self._by_id

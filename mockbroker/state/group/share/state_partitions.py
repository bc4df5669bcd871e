"""Share partitions whose state a group has the share coordinator keep.

A topic of a share group is first initializing, then initialized; a topic whose state is about to be
deleted is deleting (Kafka's `ShareGroupStatePartitionMetadata`).
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.group import GroupKind


class TopicState(NamedTuple):
    """Partitions of a topic (Kafka's `InitMapValue`)."""

    name: str
    partitions: frozenset[int]


TopicStates: TypeAlias = Mapping[Uuid, TopicState]
"""Share partitions by topic id."""
_NOTHING: Final[TopicStates] = MappingProxyType({})
_NO_NAMES: Final[Mapping[Uuid, str]] = MappingProxyType({})


class StatePartitions(NamedTuple):
    """The share partitions of a group."""

    initializing: TopicStates = _NOTHING
    initialized: TopicStates = _NOTHING
    deleting: Mapping[Uuid, str] = _NO_NAMES
    """Names of topics by their ids."""

    @property
    def topic_ids(self) -> frozenset[Uuid]:
        """The topics whose state begins or has begun."""
        return frozenset({*self.initializing, *self.initialized})

    @property
    def every_topic(self) -> frozenset[Uuid]:
        """All topics, those whose state is about to be deleted too."""
        return self.topic_ids.union(self.deleting)

    def beginning(self, topics: TopicStates) -> "StatePartitions":
        """Return the share partitions when the state of more topics begins."""
        initializing = combined(self.initializing, topics)
        deleting = {key: name for key, name in self.deleting.items() if key not in initializing}
        return self._replace(initializing=initializing, deleting=deleting)

    def begun(self, topics: TopicStates) -> "StatePartitions":
        """Return the share partitions when the state of topics has begun."""
        return self._replace(
            initializing=_without(self.initializing, topics),
            initialized=combined(self.initialized, topics),
        )

    def failed(self, topics: TopicStates) -> "StatePartitions":
        """Return the share partitions when the state of topics could not begin."""
        return self._replace(initializing=_without(self.initializing, topics))

    def ending(self, names: Mapping[Uuid, str]) -> "StatePartitions":
        """Return the share partitions when the state of topics is about to be deleted."""
        initialized = {key: each for key, each in self.initialized.items() if key not in names}
        return self._replace(initialized=initialized, deleting={**self.deleting, **names})

    def ended(self, topic_ids: Iterable[Uuid]) -> "StatePartitions":
        """Return the share partitions when the state of topics was deleted."""
        gone = set(topic_ids)
        deleting = {key: name for key, name in self.deleting.items() if key not in gone}
        return self._replace(deleting=deleting)

    def without_topic(self, topic_id: Uuid) -> "StatePartitions":
        """Return the share partitions without a topic that was deleted."""
        initializing, initialized = (
            {key: each for key, each in topics.items() if key != topic_id}
            for topics in (self.initializing, self.initialized)
        )
        return StatePartitions(initializing, initialized, self.deleting).ended([topic_id])


class StatePartitionsRecord(NamedTuple):
    """The share partitions of a group."""

    kind: GroupKind
    group_id: str
    value: StatePartitions | None


def combined(known: TopicStates, more: TopicStates) -> TopicStates:
    """Return the share partitions of both."""
    both = dict(known)
    for topic_id, (name, partitions) in more.items():
        before = known.get(topic_id)
        both[topic_id] = TopicState(
            name, partitions if before is None else before.partitions | partitions
        )
    return both


def _without(known: TopicStates, topics: TopicStates) -> TopicStates:
    rest = {
        topic_id: TopicState(name, partitions - topics[topic_id].partitions)
        if topic_id in topics
        else TopicState(name, partitions)
        for topic_id, (name, partitions) in known.items()
    }
    return {topic_id: each for topic_id, each in rest.items() if each.partitions}

"""The `simple` assignor: as many members for each partition, which they share (`SimpleAssignor`).

There are as many assignments as members, or as partitions if those are more. Members keep what they
have if that is fair. Where members subscribe to different topics, each topic is assigned by itself.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil
from typing import Final, TypeAlias

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec
from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.topic.java_hash import (
    id_partitions_in_java_hash_order,
    indexes_in_java_hash_order,
)

NAME: Final = "simple"

_IdPartition: TypeAlias = tuple[Uuid, int]
_Assigned: TypeAlias = dict[Uuid, set[int]]
_Order: TypeAlias = Callable[[Collection[_IdPartition], int], list[_IdPartition]]
"""Orders partitions as a hash table that was created for that number of them, or for any."""


def assign_simply(spec: GroupSpec) -> Mapping[str, Partitions]:
    """Assign every assignable partition, and at least one to every member."""
    members = spec.members.values()
    topic_ids = list(dict.fromkeys(topic_id for each in members for topic_id in each.topic_ids))
    if not topic_ids:
        return {}
    assigned: list[_Assigned] = [
        {topic_id: set(partitions) for topic_id, partitions in (each.target or {}).items()}
        for each in members
    ]
    if spec.is_homogeneous:
        for of_member in assigned:
            for topic_id in of_member.keys() - set(topic_ids):
                del of_member[topic_id]
        partitions = [each for topic_id in topic_ids for each in _assignable(spec, topic_id)]
        everyone = range(len(assigned))
        _Sharing(assigned, everyone, topic_ids, partitions).balance(_of_all_topics)
    else:
        for topic_id in topic_ids:
            subscribers = [at for at, each in enumerate(members) if topic_id in each.topic_ids]
            partitions = _assignable(spec, topic_id)
            _Sharing(assigned, subscribers, [topic_id], partitions).balance(_of_one_topic)
    return {
        member_id: {topic_id: frozenset(each) for topic_id, each in of_member.items()}
        for member_id, of_member in zip(spec.members, assigned, strict=True)
    }


def _assignable(spec: GroupSpec, topic_id: Uuid) -> list[_IdPartition]:
    known = spec.assignable
    return [
        (topic_id, partition)
        for partition in range(spec.partition_counts[topic_id])
        if known is None or partition in known.get(topic_id, ())
    ]


class _Sharing:
    """Assignment of the partitions of some topics to the members that subscribe to all of them.

    Members are numbers. Lists are in the order of Kafka's hash tables where results depend on it.
    """

    __slots__ = ("_assigned", "_by_member", "_by_partition", "_partitions", "_quotas", "_sharing")

    def __init__(
        self,
        assigned: Sequence[_Assigned],
        subscribers: Sequence[int],
        topic_ids: Sequence[Uuid],
        partitions: Sequence[_IdPartition],
    ) -> None:
        self._assigned: Final = assigned
        self._partitions: Final = partitions
        self._sharing: Final = -(-len(subscribers) // len(partitions)) if partitions else 0
        """The number of members for each partition."""
        each = self._sharing * len(partitions) / len(subscribers) if subscribers else 0
        self._quotas: Final = {
            member: ceil(each * (at + 1)) - ceil(each * at) for at, member in enumerate(subscribers)
        }
        self._by_member: Final[dict[int, set[_IdPartition]]] = {}
        self._by_partition: Final[dict[_IdPartition, set[int]]] = {}
        for member, of_member in enumerate(assigned):
            for topic_id in topic_ids:
                for partition in of_member.get(topic_id, ()):
                    self._by_partition.setdefault((topic_id, partition), set()).add(member)
                    self._by_member.setdefault(member, set()).add((topic_id, partition))

    def balance(self, ordered: _Order) -> None:
        """Revoke what is beyond the quotas of members and partitions, and assign the rest."""
        for member, partitions in self._by_member.items():
            extra = len(partitions) - self._quotas.get(member, 0)
            if extra > 0:
                for each in ordered(partitions, 0)[:extra]:
                    self._revoke(each, member)
        for partition, members in self._by_partition.items():
            extra = len(members) - self._sharing
            if extra > 0:
                for member in indexes_in_java_hash_order(sorted(members))[:extra]:
                    self._revoke(partition, member)
        for partition in self._partitions:
            self._by_partition.setdefault(partition, set())
        self._assign_rest(ordered(self._by_partition, len(self._partitions)))

    def _revoke(self, partition: _IdPartition, member: int) -> None:
        topic_id, number = partition
        self._assigned[member][topic_id].discard(number)
        self._by_partition[partition].discard(member)
        self._by_member[member].discard(partition)

    def _assign_rest(self, partitions: Iterable[_IdPartition]) -> None:
        wanting = [
            member
            for member, quota in self._quotas.items()
            if len(self._by_member.get(member, ())) < quota
        ]
        turns = _Turns(wanting)
        for partition in partitions:
            had = self._by_partition[partition]
            missing = self._sharing - len(had)
            while missing > 0 and (member := turns.next()) is not None:
                # As in Kafka, whoever gets the partition now may get it once more.
                if member not in had:
                    missing -= 1
                    count = self._assign(partition, member)
                    turns.served(is_full=count >= self._quotas[member])

    def _assign(self, partition: _IdPartition, member: int) -> int:
        """Assign a partition, and return how many the member has."""
        topic_id, number = partition
        self._assigned[member].setdefault(topic_id, set()).add(number)
        of_member = self._by_member.setdefault(member, set())
        of_member.add(partition)
        return len(of_member)


class _Turns:
    """Members that want partitions, in turns until nobody gets one any more."""

    __slots__ = ("_at", "_has_served", "_members")

    def __init__(self, members: list[int]) -> None:
        self._members: Final = members
        self._at = 0
        self._has_served = False

    def next(self) -> int | None:
        """Return the next member; None if nobody got a partition since the first one's turn."""
        if self._at == len(self._members):
            if not self._has_served or not self._members:
                return None
            self._at, self._has_served = 0, False
        self._at += 1
        return self._members[self._at - 1]

    def served(self, *, is_full: bool) -> None:
        """Note that the member got a partition; one that is full has no further turns."""
        self._has_served = True
        if is_full:
            self._at -= 1
            del self._members[self._at]


def _of_one_topic(partitions: Collection[_IdPartition], _expected_size: int) -> list[_IdPartition]:
    """Return the partitions of a topic in the order of a Java `HashMap` of their numbers."""
    by_number = {number: (topic_id, number) for topic_id, number in sorted(partitions)}
    return [by_number[number] for number in indexes_in_java_hash_order(by_number)]


def _of_all_topics(partitions: Collection[_IdPartition], expected_size: int) -> list[_IdPartition]:
    return id_partitions_in_java_hash_order(sorted(partitions), expected_size)

"""Uniform assignment of a group whose members subscribe to different topics, as in Kafka 3.9.

Follows `UniformHeterogeneousAssignmentBuilder` of that release: members keep what they have, free
partitions go to the subscriber with the fewest, and then single partitions move to the least loaded
subscribers until no move helps. Partitions of topics that are equally sought after move in the
order of the topics' ids; Kafka's order is that of a hash table.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec
from mockbroker.state.group.modern.modern_records import Partitions


def assign_by_partition(spec: GroupSpec) -> Mapping[str, Partitions]:
    """Assign every partition to one of its topic's subscribers.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR if a partition would have to move back, which is an error of
            Kafka's.

    """
    builder = _Builder(spec)
    builder.assign_free_partitions()
    builder.balance()
    return builder.target()


class _Builder:
    """The owners of all partitions."""

    def __init__(self, spec: GroupSpec) -> None:
        self._member_ids: Final = list(spec.members)
        self._subscribers: Final[dict[Uuid, list[str]]] = {}
        self._sizes: Final = dict.fromkeys(spec.members, 0)
        self._sizes_max: Final = dict.fromkeys(spec.members, 0)
        self._owners: Final[dict[tuple[Uuid, int], str]] = {}
        self._moves: Final[set[tuple[Uuid, str, str]]] = set()
        """Topics with the members between which their partitions have moved."""
        for member_id, member in spec.members.items():
            for topic_id in member.topic_ids:
                self._subscribers.setdefault(topic_id, []).append(member_id)
                self._sizes_max[member_id] += spec.partition_counts[topic_id]
        for member_id, member in spec.members.items():
            for topic_id, partitions in (member.target or {}).items():
                for partition in partitions if topic_id in member.topic_ids else ():
                    self._give((topic_id, partition), member_id)
        self._partitions: Final = self._in_order(spec)

    def _in_order(self, spec: GroupSpec) -> list[tuple[Uuid, int]]:
        """Return all partitions, those of which each subscriber can get the most first."""

        def order(partition: tuple[Uuid, int]) -> tuple[float, int, int, Uuid]:
            topic_id, index = partition
            subscribers = len(self._subscribers[topic_id])
            return -spec.partition_counts[topic_id] / subscribers, subscribers, index, topic_id

        return sorted(
            (
                (topic_id, index)
                for topic_id in self._subscribers
                for index in range(spec.partition_counts[topic_id])
            ),
            key=order,
        )

    def _least_loaded(self, topic_id: Uuid) -> str:
        """Return the subscriber with the fewest partitions, of those that can get more."""
        able = (each for each in self._subscribers[topic_id] if self._can_get_more(each))
        return min(able, key=lambda each: (self._sizes[each], each))

    def _can_get_more(self, member_id: str) -> bool:
        return self._sizes[member_id] < self._sizes_max[member_id]

    def _give(self, partition: tuple[Uuid, int], member_id: str) -> None:
        owner = self._owners.get(partition)
        if owner is not None:
            self._sizes[owner] -= 1
        self._owners[partition] = member_id
        self._sizes[member_id] += 1

    def assign_free_partitions(self) -> None:
        """Give partitions without an owner to the least loaded subscribers."""
        for partition in self._partitions:
            if partition not in self._owners:
                self._give(partition, self._least_loaded(partition[0]))

    def balance(self) -> None:
        """Move single partitions, each at most once, until no move helps."""
        left = [each for each in self._partitions if len(self._subscribers[each[0]]) > 1]
        has_moved = bool(left)
        while has_moved:
            before, just_moved = left, False
            left = []
            for partition in before:
                if just_moved and self._is_balanced():
                    return
                just_moved = self._moves_on(partition)
                if not just_moved:
                    left.append(partition)
            has_moved = len(left) < len(before)

    def _moves_on(self, partition: tuple[Uuid, int]) -> bool:
        """Move a partition to a member that has at least two fewer, and return whether one has."""
        topic_id, owner = partition[0], self._owners[partition]
        receiver = self._least_loaded(topic_id)
        if self._sizes[owner] <= self._sizes[receiver] + 1:
            return False
        if (topic_id, receiver, owner) in self._moves:
            raise ApiError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                "Mismatch in partition movement record with respect to partition ownership during a"
                " rebalance",
            )
        self._moves.add((topic_id, owner, receiver))
        self._give(partition, receiver)
        return True

    def _is_balanced(self) -> bool:
        """Return whether none of the members that can get more has two fewer than another one.

        As in Kafka, only the partitions of a member's topics count if those members are unequal.
        """
        able = {each for each in self._member_ids if self._can_get_more(each)}
        sizes = [self._sizes[each] for each in able]
        if min(sizes) >= max(sizes) - 1:
            return True
        return all(
            self._sizes[owner] <= self._sizes[each] + 1
            for (topic_id, _), owner in self._owners.items()
            for each in self._subscribers[topic_id]
            if each in able
        )

    def target(self) -> Mapping[str, Partitions]:
        """Return the partitions of each member."""
        found: dict[str, dict[Uuid, set[int]]] = {each: {} for each in self._member_ids}
        for (topic_id, partition), owner in self._owners.items():
            found[owner].setdefault(topic_id, set()).add(partition)
        return {
            member_id: {topic_id: frozenset(each) for topic_id, each in partitions.items()}
            for member_id, partitions in found.items()
        }

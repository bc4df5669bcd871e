"""Uniform assignment of a group whose members subscribe to different topics.

Follows Kafka's `UniformHeterogeneousAssignmentBuilder`: partitions without an owner go to the
subscriber with the fewest, then partitions move from the most to the least loaded subscribers,
topic by topic, until no move helps or 16 rounds have passed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec
from mockbroker.state.group.modern.modern_records import Partitions

ROUNDS_MAX: Final = 16
_NOBODY: Final = -1


def assign_to_subscribers(spec: GroupSpec) -> Mapping[str, Partitions]:
    """Assign every partition to one of its topic's subscribers."""
    builder = _Builder(spec)
    if not builder.owners:
        return {}
    builder.assign_free_partitions()
    builder.balance()
    return builder.target()


class _Builder:
    """The owners of all partitions, by the members' positions."""

    def __init__(self, spec: GroupSpec) -> None:
        self._member_ids: Final = list(spec.members)
        self._counts: Final = spec.partition_counts
        self._subscribers: Final[dict[Uuid, list[int]]] = {}
        for index, member in enumerate(spec.members.values()):
            for topic_id in member.topic_ids:
                self._subscribers.setdefault(topic_id, []).append(index)
        self.owners: Final = {
            topic_id: [_NOBODY] * spec.partition_counts[topic_id] for topic_id in self._subscribers
        }
        self._sizes: Final = [0] * len(self._member_ids)
        for index, member in enumerate(spec.members.values()):
            subscribed = set(member.topic_ids)
            for topic_id, partitions in (member.target or {}).items():
                for partition in partitions if topic_id in subscribed else ():
                    self.owners[topic_id][partition] = index
                    self._sizes[index] += 1

    def _sorted(self, topic_ids: Iterable[Uuid]) -> list[Uuid]:
        def order(topic_id: Uuid) -> tuple[float, int, int, int]:
            subscribers = len(self._subscribers[topic_id])
            # Kafka compares ids as two signed numbers.
            high, low = topic_id.int >> 64, topic_id.int & (1 << 64) - 1
            return -self._counts[topic_id] / subscribers, subscribers, _signed(high), _signed(low)

        return sorted(topic_ids, key=order)

    def assign_free_partitions(self) -> None:
        """Give partitions without an owner to the least loaded subscribers."""
        free = {
            topic_id: [each for each, owner in enumerate(owners) if owner == _NOBODY]
            for topic_id, owners in self.owners.items()
        }
        for topic_id in self._sorted(topic_id for topic_id, each in free.items() if each):
            loads = _Loads(self._sizes, self._subscribers[topic_id])
            for partition in free[topic_id]:
                self._assign(topic_id, partition, loads.next_least())

    def balance(self) -> None:
        """Move partitions until every topic has been looked at once since the last move."""
        shared = [each for each, members in self._subscribers.items() if len(members) > 1]
        topic_ids = self._sorted(shared)
        last_moved: Uuid | None = None
        for _ in range(ROUNDS_MAX if topic_ids else 0):
            for topic_id in topic_ids:
                if topic_id == last_moved:
                    return
                if self._balance_topic(topic_id) or last_moved is None:
                    last_moved = topic_id

    def _balance_topic(self, topic_id: Uuid) -> int:
        loads = _Loads(self._sizes, self._subscribers[topic_id])
        if loads.imbalance <= 1:
            return 0
        owners, moved = self.owners[topic_id], 0
        owned: dict[int, list[int]] = {}
        for partition, owner in enumerate(owners):
            owned.setdefault(owner, []).append(partition)
        while not loads.is_balanced:
            most = loads.next_most()
            while most is not None and not owned.get(most):
                loads.exclude_most()
                most = loads.next_most()
            if most is None:
                break
            partition = owned[most].pop()
            least = loads.next_least()
            if loads.is_balanced:
                break
            self._assign(topic_id, partition, least)
            moved += 1
        return moved

    def _assign(self, topic_id: Uuid, partition: int, index: int) -> None:
        owner = self.owners[topic_id][partition]
        if owner != _NOBODY:
            self._sizes[owner] -= 1
        self.owners[topic_id][partition] = index
        self._sizes[index] += 1

    def target(self) -> Mapping[str, Partitions]:
        """Return the partitions of each member."""
        found: list[dict[Uuid, set[int]]] = [{} for _ in self._member_ids]
        for topic_id, owners in self.owners.items():
            for partition, owner in enumerate(owners):
                found[owner].setdefault(topic_id, set()).add(partition)
        return {
            member_id: {topic_id: frozenset(each) for topic_id, each in partitions.items()}
            for member_id, partitions in zip(self._member_ids, found, strict=True)
        }


class _Loads:
    """Subscribers of a topic by their numbers of partitions (`MemberAssignmentBalancer`).

    The least loaded ones get partitions in turn, and the most loaded ones give them away in turn:
    a range of members with equal loads grows from each end of the order as the loads change.
    """

    def __init__(self, sizes: Sequence[int], members: Sequence[int]) -> None:
        self._sizes: Final = sizes
        self._members: Final = sorted(members, key=lambda index: (sizes[index], index))
        count, fewest, most = len(members), sizes[self._members[0]], sizes[self._members[-1]]
        self._least_end, self._least_load, self._next_least = 0, fewest - 1, 0
        self._most_start, self._most_end, self._most_load = count, count, most + 1
        self._next_most = count - 1
        self.imbalance: Final = most - fewest

    def next_least(self) -> int:
        """Return the next member that gets a partition."""
        if self._next_least >= self._least_end:
            self._least_load += 1
            while (
                self._least_end < len(self._members)
                and self._sizes[self._members[self._least_end]] == self._least_load
            ):
                self._least_end += 1
            self._next_least = 0
        self._next_least += 1
        return self._members[self._next_least - 1]

    def next_most(self) -> int | None:
        """Return the next member that gives a partition away; None if there is none."""
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most_load = self._sizes[self._members[self._most_start - 1]]
            else:
                self._most_load -= 1
            while (
                self._most_start > 0
                and self._sizes[self._members[self._most_start - 1]] == self._most_load
            ):
                self._most_start -= 1
            self._next_most = self._most_end - 1
        if self._next_most < 0:
            return None
        self._next_most -= 1
        return self._members[self._next_most + 1]

    def exclude_most(self) -> None:
        """Exclude the member that `next_most` returned: it has no partition of the topic."""
        at, last = self._next_most + 1, self._most_end - 1
        self._members[at], self._members[last] = self._members[last], self._members[at]
        self._most_end -= 1

    @property
    def is_balanced(self) -> bool:
        """True if no move makes the loads more equal."""
        return self._most_load - self._least_load <= 1


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value

"""A partition that moves to other brokers: who is added, who is removed (KIP-455).

The replicas of a partition that moves are its new ones, followed by those that it is to lose: it
keeps them all until the new ones are in sync.
"""

from collections.abc import Sequence
from typing import NamedTuple

from mockbroker.state.topic.topic import Partition


class Move(NamedTuple):
    """Where a partition goes, as it stands between its start and its end."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas that are left in the end."""
        return tuple(each for each in self.replicas if each not in self.removing)

    @property
    def origin(self) -> tuple[int, ...]:
        """The replicas that are left when the move is cancelled."""
        return tuple(each for each in self.replicas if each not in self.adding)


def move_of(partition: Partition) -> Move:
    """Return how a partition stands; one that does not move adds and removes nobody."""
    return Move(partition.replicas, partition.adding_replicas, partition.removing_replicas)


def is_moving(partition: Partition) -> bool:
    """Tell whether replicas are being added or removed."""
    return bool(partition.adding_replicas or partition.removing_replicas)


def plan_from_all(partition: Partition, target: Sequence[int]) -> Move:
    """Plan a move from all replicas there are, those of an unfinished move included.

    It is what `PartitionReassignmentReplicas` does: who was only being added is removed again. As
    there, a plan that adds nobody, or removes nobody, leaves those of the unfinished move in place.
    """
    current = set(partition.replicas)
    removing = tuple(sorted(current.difference(target)))
    adding = tuple(sorted(set(target) - current))
    return Move(
        (*target, *removing),
        adding or partition.adding_replicas,
        removing or partition.removing_replicas,
    )


def plan_from_origin(partition: Partition, target: Sequence[int]) -> Move:
    """Plan a move from where the partition was before an unfinished move (`ReplicaAssignment`)."""
    origin = move_of(partition).origin
    removing = tuple(each for each in origin if each not in target)
    replicas = (*target, *removing)
    adding = tuple(each for each in replicas if each not in origin)
    return Move(replicas, adding, removing)

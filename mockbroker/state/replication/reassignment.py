"""Reassignment of a partition: added and removed replicas (KIP-455).

The replicas of a partition that moves are its new ones, followed by those to be removed. It keeps
them all until the new ones are in sync.
"""

from collections.abc import Sequence
from typing import NamedTuple

from mockbroker.state.topic.topic import Partition


class Move(NamedTuple):
    """State of a partition's reassignment, from its start to its end."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas after completion."""
        return tuple(each for each in self.replicas if each not in self.removing)

    @property
    def origin(self) -> tuple[int, ...]:
        """The replicas after cancellation."""
        return tuple(each for each in self.replicas if each not in self.adding)


def move_of(partition: Partition) -> Move:
    """Return the state of a partition; without a reassignment nothing is added or removed."""
    return Move(partition.replicas, partition.adding_replicas, partition.removing_replicas)


def is_moving(partition: Partition) -> bool:
    """Return whether replicas are being added or removed."""
    return bool(partition.adding_replicas or partition.removing_replicas)


def plan_from_all(partition: Partition, target: Sequence[int]) -> Move:
    """Plan a move from all present replicas, including those of an unfinished move.

    It follows `PartitionReassignmentReplicas`: a replica that was only being added is removed
    again. As in Kafka, a plan that adds none, or removes none, keeps those of the unfinished move.
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
    """Plan a move from the replicas before an unfinished move (`ReplicaAssignment`)."""
    origin = move_of(partition).origin
    removing = tuple(each for each in origin if each not in target)
    replicas = (*target, *removing)
    adding = tuple(each for each in replicas if each not in origin)
    return Move(replicas, adding, removing)

"""Plans of a move: added and removed replicas, with and without an unfinished move."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from mockbroker.state.replication.reassignment import (
    Move,
    is_moving,
    move_of,
    plan_from_all,
    plan_from_origin,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.state.cluster_building import new_cluster


def standing(move: Move) -> Partition:
    topic = new_cluster().create_topic(NewTopic(name="t", assignments=[(0, move.replicas)]))
    (partition,) = topic.partitions
    partition.adding_replicas, partition.removing_replicas = move.adding, move.removing
    return partition


Plan: TypeAlias = Callable[[Partition, Sequence[int]], Move]
STILL = Move((1, 2), (), ())
UNFINISHED = Move((3, 2, 1), (3,), (1,))


def test_a_move_has_an_origin_and_a_target() -> None:
    assert UNFINISHED.origin == (2, 1)
    assert UNFINISHED.target == (3, 2)
    assert move_of(standing(UNFINISHED)) == UNFINISHED
    assert is_moving(standing(UNFINISHED))
    assert not is_moving(standing(STILL))


@pytest.mark.parametrize("plan", [plan_from_all, plan_from_origin])
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ((1, 2), STILL),
        ((2, 1), Move((2, 1), (), ())),
        ((3,), Move((3, 1, 2), (3,), (1, 2))),
        ((2, 3), Move((2, 3, 1), (3,), (1,))),
        ((1,), Move((1, 2), (), (2,))),
    ],
)
def test_both_plans_of_a_partition_that_does_not_move_are_equal(
    plan: Plan, target: tuple[int, ...], expected: Move
) -> None:
    assert plan(standing(STILL), target) == expected


def test_an_unfinished_move_is_treated_as_done_or_not_begun() -> None:
    assert plan_from_all(standing(UNFINISHED), (1,)) == Move((1, 2, 3), (3,), (2, 3))
    assert plan_from_origin(standing(UNFINISHED), (1,)) == Move((1, 2), (), (2,))

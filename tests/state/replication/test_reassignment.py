"""How a move is planned: whom it adds, whom it removes, and what an unfinished one leaves."""

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


def test_a_move_knows_where_it_comes_from_and_where_it_goes() -> None:
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
def test_who_stays_still_moves_the_same_way(
    plan: Plan, target: tuple[int, ...], expected: Move
) -> None:
    assert plan(standing(STILL), target) == expected


def test_an_unfinished_move_is_taken_for_done_or_for_not_begun() -> None:
    assert plan_from_all(standing(UNFINISHED), (1,)) == Move((1, 2, 3), (3,), (2, 3))
    assert plan_from_origin(standing(UNFINISHED), (1,)) == Move((1, 2), (), (2,))

"""Automatic and manual assignment of replicas."""

from collections import Counter

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.random_source import RandomSource
from mockbroker.state.release.admin_refusals import KRAFT_REFUSALS, ZOOKEEPER_REFUSALS
from mockbroker.state.topic.replica_assignment import (
    assign_replicas,
    check_assignment,
    numbered_assignment,
)

BROKERS = (1, 2, 3)


@pytest.mark.parametrize("seed", range(5))
def test_leaders_take_turns(seed: int) -> None:
    assignments = assign_replicas(BROKERS, 9, 2, RandomSource(seed))
    leaders = [replicas[0] for replicas in assignments]
    assert set(Counter(leaders).values()) == {3}
    assert leaders[:3] == leaders[3:6] == leaders[6:]


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_replicas_of_a_partition_are_different_brokers(factor: int) -> None:
    for replicas in assign_replicas(BROKERS, 20, factor, RandomSource(1)):
        assert len(set(replicas)) == factor


def test_followers_of_one_leader_change() -> None:
    assignments = assign_replicas(BROKERS, 6, 2, RandomSource(3))
    followers = {replicas[1] for replicas in assignments if replicas[0] == 1}
    assert followers == {2, 3}


def test_one_broker_holds_everything() -> None:
    assert assign_replicas([7], 2, 1, RandomSource(0)) == [(7,), (7,)]


def test_a_seed_determines_the_first_leader() -> None:
    starts = {assign_replicas(BROKERS, 1, 1, RandomSource(seed))[0] for seed in range(20)}
    assert starts == {(1,), (2,), (3,)}


def test_a_numbered_assignment_is_put_in_order() -> None:
    assert numbered_assignment([(1, [2]), (0, [1])]) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("manual", "why"),
    [
        ([(0, [1]), (0, [1])], "Found multiple manual partition assignments for partition 0"),
        ([(1, [1])], "partitions should be a consecutive 0-based integer sequence"),
        ([(0, [1]), (2, [1])], "partitions should be a consecutive 0-based integer sequence"),
    ],
)
def test_a_numbered_assignment_with_holes_is_refused(
    manual: list[tuple[int, list[int]]], why: str
) -> None:
    with pytest.raises(ApiError) as refusal:
        numbered_assignment(manual)
    assert (refusal.value.code, refusal.value.why) == (ErrorCode.INVALID_REPLICA_ASSIGNMENT, why)


def test_an_even_assignment_passes() -> None:
    check_assignment({0: (1, 2), 1: (3, 1)}, BROKERS, None, KRAFT_REFUSALS)
    check_assignment({5: (1, 2)}, BROKERS, 2, KRAFT_REFUSALS)


@pytest.mark.parametrize(
    ("assignments", "kraft", "zookeeper"),
    [
        (
            {0: ()},
            "The manual partition assignment includes an empty replica list.",
            "Cannot have replication factor of 0 for partition id 0.",
        ),
        (
            {0: (1, 9)},
            "The manual partition assignment includes broker 9, but no such broker is registered.",
            "Unknown broker(s) in replica assignment: 9.",
        ),
        (
            {3: (1, 1)},
            "The manual partition assignment includes the broker 1 more than once.",
            "Duplicate brokers not allowed in replica assignment: 1, 1 for partition id 3.",
        ),
        (
            {0: (1, 2), 1: (3,)},
            (
                "The manual partition assignment includes a partition with 1 replica(s), but this"
                " is"
                " not consistent with previous partitions, which have 2 replica(s)."
            ),
            "All partitions should have the same number of replicas",
        ),
    ],
)
def test_a_wrong_assignment_is_rejected_with_the_reason(
    assignments: dict[int, tuple[int, ...]], kraft: str, zookeeper: str
) -> None:
    for refusals, why in ((KRAFT_REFUSALS, kraft), (ZOOKEEPER_REFUSALS, zookeeper)):
        with pytest.raises(ApiError) as refusal:
            check_assignment(assignments, BROKERS, None, refusals)
        assert refusal.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert refusal.value.why == why


def test_new_partitions_have_as_many_replicas_as_the_others() -> None:
    with pytest.raises(ApiError, match=r"which have 2 replica\(s\)"):
        check_assignment({1: (1,)}, BROKERS, 2, KRAFT_REFUSALS)

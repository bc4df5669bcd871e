from collections import Counter
from uuid import UUID

import pytest

from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.group.share.simple_assignor import assign_simply
from tests.state.group.modern.group_specs import OTHER, TOPIC, group_spec, sizes

MEMBERS = tuple("abcdefghijkl")


def owners_of(assignment: dict[str, Partitions]) -> list[int]:
    counts = Counter(
        (topic_id, partition)
        for target in assignment.values()
        for topic_id, partitions in target.items()
        for partition in partitions
    )
    return sorted(counts.values())


@pytest.mark.parametrize(
    ("members", "expected"),
    [(1, [7]), (2, [3, 4]), (3, [2, 2, 3]), (7, [1] * 7), (9, [1] * 4 + [2] * 5)],
)
def test_members_have_equal_parts(members: int, expected: list[int]) -> None:
    spec = group_spec(dict.fromkeys(MEMBERS[:members], (TOPIC,)), {TOPIC: 7})
    assignment = dict(assign_simply(spec))
    assert sorted(sizes(assignment)) == expected
    assert len(owners_of(assignment)) == 7


def test_a_partition_has_several_members_if_there_are_more_of_them() -> None:
    spec = group_spec(dict.fromkeys(MEMBERS[:6], (TOPIC,)), {TOPIC: 3})
    assert owners_of(dict(assign_simply(spec))) == [2, 2, 2]


def test_members_keep_what_they_have_if_that_is_fair() -> None:
    targets = {"a": {TOPIC: frozenset({3, 1})}, "b": {TOPIC: frozenset({0, 2})}}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 4}, targets)
    assert assign_simply(spec) == targets


def test_what_is_beyond_a_members_part_goes_to_a_new_one() -> None:
    targets = {"a": {TOPIC: frozenset({0, 1, 2, 3})}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 4}, targets)
    assignment = assign_simply(spec)
    assert sizes(assignment) == [2, 2]
    assert assignment["a"][TOPIC] | assignment["b"][TOPIC] == {0, 1, 2, 3}


def test_a_partition_that_too_many_share_is_revoked() -> None:
    targets = {name: {TOPIC: frozenset({0})} for name in "ab"}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 2}, targets)
    assert assign_simply(spec) == {"a": {TOPIC: {1}}, "b": {TOPIC: {0}}}


def test_only_assignable_partitions_are_assigned() -> None:
    spec = group_spec({"a": (TOPIC, OTHER)}, {TOPIC: 3, OTHER: 1})
    some = spec._replace(assignable={TOPIC: frozenset({1})})
    assert assign_simply(some) == {"a": {TOPIC: {1}}}
    none = spec._replace(assignable={})
    assert assign_simply(none) == {"a": {}}


def test_topics_that_nobody_subscribes_to_are_dropped() -> None:
    gone = UUID(int=5)
    spec = group_spec({"a": (TOPIC,)}, {TOPIC: 1}, {"a": {gone: frozenset({0})}})
    assert assign_simply(spec) == {"a": {TOPIC: {0}}}


def test_there_is_nothing_to_assign_without_topics() -> None:
    assert assign_simply(group_spec({}, {})) == {}
    assert assign_simply(group_spec({"a": ()}, {})) == {}


def test_each_topic_is_shared_by_those_who_subscribe_to_it() -> None:
    subscriptions = {"a": (TOPIC,), "b": (TOPIC, OTHER), "c": (OTHER,)}
    assignment = dict(assign_simply(group_spec(subscriptions, {TOPIC: 4, OTHER: 1})))
    assert assignment == {
        "a": {TOPIC: {0, 2}},
        "b": {TOPIC: {1, 3}, OTHER: {0}},
        "c": {OTHER: {0}},
    }


def test_who_no_longer_subscribes_loses_the_topic() -> None:
    targets = {"a": {TOPIC: frozenset({0, 1})}, "b": {OTHER: frozenset({0})}}
    spec = group_spec({"a": (OTHER,), "b": (TOPIC,)}, {TOPIC: 2, OTHER: 1}, targets)
    assert assign_simply(spec) == {
        "a": {TOPIC: frozenset(), OTHER: {0}},
        "b": {OTHER: frozenset(), TOPIC: {0, 1}},
    }


def test_partitions_stay_free_if_nobody_wants_them() -> None:
    targets = {"a": {TOPIC: frozenset({0})}, "b": {TOPIC: frozenset({0})}}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 1}, targets)
    assert assign_simply(spec) == targets

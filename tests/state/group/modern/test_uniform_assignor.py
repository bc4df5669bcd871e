from collections.abc import Mapping
from uuid import UUID

import pytest

from mockbroker.state.group.modern.group_spec import GroupSpec, MemberSpec
from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.group.modern.uniform_assignor import assign_uniformly
from tests.state.group.modern.group_specs import OTHER, TOPIC, group_spec, sizes


def test_without_members_or_topics_nothing_is_assigned() -> None:
    assert not assign_uniformly(group_spec({}, {TOPIC: 2}))
    assert not assign_uniformly(group_spec({"a": ()}, {}))


@pytest.mark.parametrize(
    ("partitions", "expected"), [(6, [2, 2, 2]), (5, [1, 2, 2]), (2, [0, 1, 1])]
)
def test_new_members_get_equal_shares(partitions: int, expected: list[int]) -> None:
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,), "c": (TOPIC,)}, {TOPIC: partitions})
    found = assign_uniformly(spec)
    assert sizes(found) == expected
    assert set().union(*(each.get(TOPIC, set()) for each in found.values())) == set(
        range(partitions)
    )


def test_a_member_keeps_its_lowest_partitions() -> None:
    owned = {"a": {TOPIC: frozenset({0, 1, 2})}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 3}, owned)
    assert assign_uniformly(spec) == {"a": {TOPIC: {0, 1}}, "b": {TOPIC: {2}}}


def test_the_extra_partitions_stay_with_members_that_have_them() -> None:
    owned: Mapping[str, Partitions | None] = {
        "a": {TOPIC: frozenset({0})},
        "b": {TOPIC: frozenset({1, 2})},
    }
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 3}, owned)
    assert assign_uniformly(spec) == {"a": {TOPIC: {0}}, "b": {TOPIC: {1, 2}}}


def test_the_first_members_get_an_extra_partition_in_3_9() -> None:
    owned: Mapping[str, Partitions | None] = {
        "a": {TOPIC: frozenset({0})},
        "b": {TOPIC: frozenset({1, 2})},
    }
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,)}, {TOPIC: 3}, owned)
    first = spec._replace(last_members_get_extra=False)
    assert assign_uniformly(first) == {"a": {TOPIC: {0, 2}}, "b": {TOPIC: {1}}}


def test_topics_that_are_no_longer_subscribed_are_dropped() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {OTHER: frozenset({0}), TOPIC: frozenset({0})}}
    spec = group_spec({"a": (TOPIC,)}, {TOPIC: 1}, owned)
    assert assign_uniformly(spec) == {"a": {TOPIC: {0}}}


def test_members_with_different_subscriptions_get_only_their_topics() -> None:
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER)}, {TOPIC: 4, OTHER: 2})
    found = assign_uniformly(spec)
    assert OTHER not in found["a"]
    assert sizes(found) == [3, 3]


def test_partitions_move_from_the_most_loaded_subscribers() -> None:
    owned: Mapping[str, Partitions | None] = {
        "a": {TOPIC: frozenset(range(6))},
        "b": {TOPIC: frozenset({6, 7}), OTHER: frozenset({0})},
        "c": None,
    }
    members = {"a": (TOPIC,), "b": (TOPIC, OTHER), "c": (TOPIC,)}
    found = assign_uniformly(group_spec(members, {TOPIC: 8, OTHER: 1}, owned))
    assert sizes(found) == [3, 3, 3]
    assert found["a"][TOPIC] < frozenset(range(6))


def test_subscribers_of_nothing_get_nothing() -> None:
    spec = GroupSpec({"a": MemberSpec((), None)}, False, {}, {})
    assert not assign_uniformly(spec)


def test_equal_topics_are_taken_in_the_order_of_signed_ids() -> None:
    negative = UUID(int=1 << 127 | 5)
    members = {"a": (TOPIC, negative), "b": (TOPIC, negative), "c": (OTHER,)}
    found = assign_uniformly(group_spec(members, {TOPIC: 1, negative: 1, OTHER: 1}))
    assert found["a"] == {negative: {0}}

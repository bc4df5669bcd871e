from collections.abc import Mapping

from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.group.modern.uniform_heterogeneous import assign_to_subscribers
from tests.state.group.modern.group_specs import OTHER, TOPIC, group_spec, sizes


def test_a_topic_with_one_subscriber_is_not_balanced() -> None:
    spec = group_spec({"a": (TOPIC, OTHER), "b": (OTHER,)}, {TOPIC: 5, OTHER: 2})
    assert sizes(assign_to_subscribers(spec)) == [5, 2]


def test_members_without_partitions_of_a_topic_give_none_of_it() -> None:
    owned: Mapping[str, Partitions | None] = {
        "a": {OTHER: frozenset(range(6))},
        "b": {TOPIC: frozenset(range(4))},
        "c": None,
    }
    members = {"a": (TOPIC, OTHER), "b": (TOPIC,), "c": (TOPIC,)}
    found = assign_to_subscribers(group_spec(members, {TOPIC: 4, OTHER: 6}, owned))
    assert sizes(found) == [6, 2, 2]


def test_what_is_free_goes_to_the_least_loaded() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {TOPIC: frozenset({0, 1})}, "b": None}
    members = {"a": (TOPIC,), "b": (TOPIC, OTHER)}
    found = assign_to_subscribers(group_spec(members, {TOPIC: 4, OTHER: 1}, owned))
    assert sizes(found) == [2, 3]
    assert found["b"][OTHER] == {0}

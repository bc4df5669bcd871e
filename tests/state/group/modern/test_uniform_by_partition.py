from collections.abc import Mapping

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.group.modern.uniform_assignor import assign_uniformly
from mockbroker.state.group.modern.uniform_by_partition import assign_by_partition
from tests.state.group.modern.group_specs import OTHER, TOPIC, group_spec, sizes


def test_only_groups_with_different_subscriptions_of_3_9_move_single_partitions() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {TOPIC: frozenset(range(4))}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER)}, {TOPIC: 4, OTHER: 1}, owned)
    spec = spec._replace(balances_by_topic=False)
    assert assign_uniformly(spec) == assign_by_partition(spec)


def test_free_partitions_go_to_the_subscriber_with_the_fewest() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {TOPIC: frozenset({0, 1})}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER)}, {TOPIC: 4, OTHER: 1}, owned)
    found = assign_by_partition(spec)
    assert sizes(found) == [2, 3]
    assert found["a"] == {TOPIC: {0, 1}}
    assert found["b"] == {TOPIC: {2, 3}, OTHER: {0}}


def test_members_keep_what_they_have_until_another_one_has_two_fewer() -> None:
    owned: Mapping[str, Partitions | None] = {
        "a": {TOPIC: frozenset({0, 1})},
        "b": {TOPIC: frozenset({2})},
    }
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER)}, {TOPIC: 3, OTHER: 0}, owned)
    assert assign_by_partition(spec) == {"a": {TOPIC: {0, 1}}, "b": {TOPIC: {2}}}


def test_partitions_move_from_who_has_two_more_first_ones_first() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {TOPIC: frozenset(range(4))}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER)}, {TOPIC: 4, OTHER: 1}, owned)
    found = assign_by_partition(spec)
    assert found["a"] == {TOPIC: {1, 2, 3}}
    assert found["b"] == {TOPIC: {0}, OTHER: {0}}


def test_partitions_of_unsubscribed_topics_are_given_away() -> None:
    owned: Mapping[str, Partitions | None] = {"a": {OTHER: frozenset({0})}, "b": None}
    spec = group_spec({"a": (TOPIC,), "b": (OTHER,)}, {TOPIC: 1, OTHER: 1}, owned)
    assert assign_by_partition(spec) == {"a": {TOPIC: {0}}, "b": {OTHER: {0}}}


def test_a_partition_that_would_move_back_is_an_error_as_in_kafka() -> None:
    subscriptions = {"a": (OTHER,), "b": (TOPIC, OTHER), "c": (TOPIC, OTHER), "d": (OTHER,)}
    owned: Mapping[str, Partitions | None] = {
        "b": {TOPIC: frozenset({3})},
        "c": {TOPIC: frozenset({0, 1, 2}), OTHER: frozenset({0, 1})},
    }
    with pytest.raises(ApiError, match="Mismatch in partition movement") as refused:
        assign_by_partition(group_spec(subscriptions, {TOPIC: 4, OTHER: 2}, owned))
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR

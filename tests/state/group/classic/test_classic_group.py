"""Members, leader, protocols and log value of a group."""

from collections.abc import Callable

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import Awaited, JoinedMember
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_log_record import GroupMetadataValue, MemberMetadataValue
from tests.state.group.group_building import GROUP, group_of, member, protocols

LOGGED = GroupMetadataValue(
    "consumer",
    7,
    "range",
    "m-1",
    123,
    (
        MemberMetadataValue("m-1", None, "c", "/10.0.0.1", 60_000, 10_000, b"topics:a", b"0"),
        MemberMetadataValue("m-2", "i-2", "c", "/10.0.0.2", 60_000, 10_000, b"topics:b", b"1"),
    ),
)


def read_topics(data: bytes) -> frozenset[str] | None:
    head, _, names = data.decode().partition(":")
    return frozenset(names.split(",")) if head == "topics" else None


# Members


def test_the_first_member_leads_and_sets_the_protocol_type() -> None:
    group = group_of(member("a"), member("b"))
    assert group.is_leader("a")
    assert group.protocol_type == "consumer"
    assert list(group.members) == ["a", "b"]


def test_the_next_member_leads_when_the_leader_leaves() -> None:
    group = group_of(member("a"), member("b"), member("c"))
    group.remove("a")
    assert group.leader_id == "b"
    group.remove("c")
    group.remove("b")
    assert group.leader_id is None
    assert group.leader_or_nobody == ""


def test_all_members_have_joined_when_all_wait_and_no_id_is_pending() -> None:
    group = group_of(member("a"), member("b"))
    assert group.has_all_members_joined
    group.pending_members["c"] = 100
    assert not group.has_all_members_joined
    group.add(member("c"), Awaited())
    assert group.has_all_members_joined
    group.update_member(group.members["b"], protocols("range"), None, None)
    assert not group.has_all_members_joined
    assert group.members_missing() == [group.members["b"]]
    group.remove("b")
    assert group.has_all_members_joined
    assert group.awaiting_join_count == 2


def test_a_removed_static_member_releases_its_instance_id() -> None:
    group = group_of(member("a", instance="i"))
    assert group.static_members == {"i": "a"}
    group.remove("a")
    assert group.static_members == {}


def test_only_a_member_that_joined_is_elected() -> None:
    group = group_of(member("a"), member("b"), member("c"))
    group.update_member(group.members["a"], protocols("range"), None, None)
    assert group.elect_joined_leader()
    assert group.leader_id == "b"


def test_no_leader_is_elected_without_joined_members() -> None:
    group = group_of(member("a"))
    group.update_member(group.members["a"], protocols("range"), None, None)
    assert not group.elect_joined_leader()
    assert group.leader_id == "a"
    assert not group_of().elect_joined_leader()


def test_the_longest_rebalance_timeout_applies() -> None:
    group = group_of(member("a", rebalance_timeout_ms=5), member("b", rebalance_timeout_ms=9))
    assert group.rebalance_timeout_ms == 9
    assert group_of().rebalance_timeout_ms == 0


def test_a_rejoining_member_may_change_its_timeouts() -> None:
    group = group_of(member("a"))
    group.update_member(group.members["a"], protocols("range"), (7, 8), None)
    assert group.members["a"].rebalance_timeout_ms == 7
    assert group.members["a"].session_timeout_ms == 8


def test_a_static_member_inherits_the_place_of_the_replaced_one() -> None:
    group = group_of(member("a", instance="i"), member("b"))
    group.members["a"].assignment = b"mine"
    group.update_member(group.members["a"], protocols("range"), None, None)
    new = group.replace_static_member(group.members["a"], "a2")
    assert list(group.members) == ["a2", "b"]
    assert group.members["a2"] is new
    assert group.is_leader("a2")
    assert group.static_members == {"i": "a2"}
    assert new.assignment == b"mine"


# Protocols


@pytest.mark.parametrize(
    ("offers", "selected"),
    [
        ([("range", "roundrobin"), ("range", "roundrobin")], "range"),
        ([("roundrobin", "range"), ("range",)], "range"),
        ([("a", "b"), ("b", "a"), ("b", "a")], "b"),
        # One vote each: Java's hash table has a before b, in any order of joining.
        ([("b", "a"), ("a", "b")], "a"),
        ([("range", "range")], "range"),
    ],
)
def test_the_protocol_with_most_votes_of_those_that_all_support_is_selected(
    offers: list[tuple[str, ...]], selected: str
) -> None:
    group = group_of(*(member(f"m{index}", *offer) for index, offer in enumerate(offers)))
    assert group.select_protocol() == selected


def test_a_member_must_share_a_protocol_with_all() -> None:
    group = group_of(
        member("a", "x", "y"), member("b", "y", "z"), state=GroupState.PREPARING_REBALANCE
    )
    assert group.supports_protocols("consumer", protocols("y"))
    assert not group.supports_protocols("consumer", protocols("x", "z"))
    assert not group.supports_protocols("connect", protocols("y"))
    group.remove("a")
    assert group.supports_protocols("consumer", protocols("z"))


def test_an_empty_group_accepts_any_member_with_a_protocol() -> None:
    group = group_of()
    assert group.supports_protocols("anything", protocols("p"))
    assert not group.supports_protocols("", protocols("p"))
    assert not group.supports_protocols("anything", ())


# Generations


def test_a_generation_selects_a_protocol_and_begins() -> None:
    group = group_of(member("a"), state=GroupState.PREPARING_REBALANCE)
    group.next_generation(5)
    assert (group.generation_id, group.protocol_name) == (1, "range")
    assert group.state is GroupState.COMPLETING_REBALANCE
    assert group.current_members() == (JoinedMember("a", None, b"range"),)


def test_a_generation_without_members_is_empty() -> None:
    group = group_of(member("a"), state=GroupState.PREPARING_REBALANCE)
    group.remove("a")
    group.next_generation(5)
    assert (group.generation_id, group.protocol_name) == (1, None)
    assert group.state is GroupState.EMPTY
    assert group.protocol_type == "consumer"


# Subscriptions


def test_subscriptions_are_those_at_the_start_of_the_generation() -> None:
    group = ClassicGroup.from_log_value(GROUP, LOGGED)
    assert group.subscribed_topics(read_topics) == frozenset({"a", "b"})
    group.update_member(group.members["m-1"], (("range", b"topics:c"),), None, None)
    assert group.is_subscribed_to_topic("a", read_topics)
    assert not group.is_subscribed_to_topic("c", read_topics)


@pytest.mark.parametrize(("protocol_type", "subscribed"), [("consumer", True), ("connect", False)])
def test_unreadable_metadata_of_consumers_counts_as_subscribed(
    protocol_type: str, subscribed: bool
) -> None:
    group = group_of(member("a", protocol_type=protocol_type), state=GroupState.PREPARING_REBALANCE)
    group.next_generation(1)
    assert group.subscribed_topics(read_topics) is None
    assert group.is_subscribed_to_topic("any", read_topics) is subscribed


def test_a_group_without_members_subscribes_to_nothing() -> None:
    group = group_of(member("a"), state=GroupState.PREPARING_REBALANCE)
    group.remove("a")
    group.next_generation(1)
    assert group.subscribed_topics(read_topics) == frozenset()


# The log


def test_a_group_survives_a_round_trip_through_the_log() -> None:
    group = ClassicGroup.from_log_value(GROUP, LOGGED)
    assert group.state is GroupState.STABLE
    assert group.static_members == {"i-2": "m-2"}
    assert group.to_log_value(group.assignments()) == LOGGED


def test_a_group_without_members_is_loaded_as_empty() -> None:
    value = GroupMetadataValue("", 0, None, None, -1, ())
    group = ClassicGroup.from_log_value(GROUP, value)
    assert group.state is GroupState.EMPTY
    assert group.protocol_type is None
    assert group.current_state_timestamp_ms is None
    assert group.to_log_value({}) == value


# Validation of members

REFUSALS: list[tuple[str, str | None, ErrorCode]] = [
    ("x", None, ErrorCode.UNKNOWN_MEMBER_ID),
    ("a", "other", ErrorCode.UNKNOWN_MEMBER_ID),
    ("x", "i", ErrorCode.FENCED_INSTANCE_ID),
    ("b", "i", ErrorCode.FENCED_INSTANCE_ID),
]


@pytest.mark.parametrize(("member_id", "instance", "code"), REFUSALS)
def test_an_unknown_member_gets_the_reason(
    member_id: str, instance: str | None, code: ErrorCode
) -> None:
    group = group_of(member("a", instance="i"), member("b"))
    with pytest.raises(ApiError) as refusal:
        group.validate_member(member_id, instance)
    assert refusal.value.code is code


def test_a_member_is_found_by_its_id() -> None:
    group = group_of(member("a", instance="i"), member("b"))
    assert group.validate_member("a", "i").member_id == "a"
    assert group.validate_member("a", None).member_id == "a"
    lenient: Callable[..., object] = group.validate_member
    assert lenient("b", "unheard of", instance_must_be_known=False) is group.members["b"]

from typing import Any
from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.consumer.consumer_heartbeat import ConsumerHeartbeat
from mockbroker.state.group.consumer.member_checks import (
    check_member_epoch,
    check_unreleased,
    joining,
    member_of,
    only_stays,
)
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    MemberMetadata,
    MemberRecord,
)
from tests.state.group.consumer.test_consumer_heartbeat import JOIN

TOPIC = UUID(int=100)
MEMBER = ConsumerGroupMember(
    "a", MemberMetadata(), CurrentAssignment(5, 4, MemberState.STABLE, {TOPIC: {0: 4}})
)
BEAT = JOIN._replace(member_epoch=5, owned=None)


def test_a_heartbeat_changes_only_what_it_names() -> None:
    known = joining(
        MemberMetadata(), JOIN._replace(instance_id="i", rack_id="r", server_assignor="range")
    )
    silent = BEAT._replace(subscribed_topic_names=None, rebalance_timeout_ms=-1)
    assert joining(known, silent) == known
    changed = joining(known, silent._replace(subscribed_topic_regex="x.*", client_id="d"))
    assert (changed.subscribed_topic_regex, changed.client_id) == ("x.*", "d")
    assert changed.subscribed_topic_names == {"t"}


KNOWN = MEMBER._replace(
    metadata=joining(
        MemberMetadata(), JOIN._replace(instance_id="i", rack_id="r", server_assignor="range")
    )
)
SILENT = BEAT._replace(subscribed_topic_names=None, rebalance_timeout_ms=-1)


@pytest.mark.parametrize(
    "request_",
    [SILENT, SILENT._replace(instance_id="i", rack_id="r", server_assignor="range")],
)
def test_a_heartbeat_without_news_only_says_that_a_member_stays(
    request_: ConsumerHeartbeat,
) -> None:
    assert only_stays(KNOWN, request_)
    assert joining(KNOWN.metadata, request_) == KNOWN.metadata


@pytest.mark.parametrize(
    "change",
    [
        {"member_epoch": 4},
        {"owned": {}},
        {"subscribed_topic_names": frozenset()},
        {"subscribed_topic_regex": ""},
        {"rebalance_timeout_ms": 1},
        {"instance_id": "j"},
        {"rack_id": "s"},
        {"server_assignor": "uniform"},
        {"client_id": "d"},
        {"client_host": "/127.0.0.2"},
    ],
)
def test_a_heartbeat_with_any_news_is_more(change: dict[str, Any]) -> None:
    assert not only_stays(KNOWN, SILENT._replace(**change))


@pytest.mark.parametrize(
    "request_", [BEAT, BEAT._replace(member_epoch=4, owned={TOPIC: frozenset({0})})]
)
def test_the_present_epoch_and_a_retry_are_accepted(request_: ConsumerHeartbeat) -> None:
    check_member_epoch(MEMBER, request_)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (BEAT._replace(member_epoch=6), "greater member epoch (6) than the one known"),
        (BEAT._replace(member_epoch=3, owned={}), "smaller member epoch (3) than the one known"),
        (BEAT._replace(member_epoch=4), "smaller"),
        (JOIN, "smaller member epoch (0) than the one known"),
        (BEAT._replace(member_epoch=4, owned={TOPIC: frozenset({1})}), "smaller"),
    ],
)
def test_other_epochs_are_fenced(request_: ConsumerHeartbeat, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_member_epoch(MEMBER, request_)
    assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH
    assert why in refused.value.why


def test_a_static_member_has_one_member_id() -> None:
    group = ConsumerGroup("g")
    with pytest.raises(ApiError, match="Instance id i is unknown"):
        member_of(group, "a", "i")
    static = MemberMetadata(instance_id="i")
    group.replay(MemberRecord(group.kind, "g", "a", static))
    assert member_of(group, "a", "i").metadata == static
    assert member_of(group, "a", None).metadata == static
    with pytest.raises(ApiError, match="Static member b with instance id i was fenced by member a"):
        member_of(group, "b", "i")


def test_an_instance_id_is_free_while_its_member_is_away() -> None:
    check_unreleased(MEMBER.away(), "b", "i")
    with pytest.raises(ApiError) as refused:
        check_unreleased(MEMBER, "b", "i")
    assert refused.value.code is ErrorCode.UNRELEASED_INSTANCE_ID

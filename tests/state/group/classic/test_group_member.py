"""Metadata, pending answers and log value of a member."""

import pytest

from mockbroker.state.group.classic.group_answers import Awaited
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.group_log_record import MemberMetadataValue
from tests.state.group.group_building import member

LOGGED = MemberMetadataValue("m-1", "i-1", "client", "/10.0.0.1", 60_000, 10_000, b"said", b"given")


def test_a_member_that_waits_satisfies_its_heartbeat_unless_it_is_new() -> None:
    waiting = member("m")
    waiting.awaited_join = Awaited()
    assert not waiting.has_satisfied_heartbeat
    waiting.is_new = False
    assert waiting.has_satisfied_heartbeat
    waiting.awaited_join = None
    assert not waiting.has_satisfied_heartbeat
    waiting.awaited_sync = Awaited()
    assert waiting.has_satisfied_heartbeat


def test_a_member_votes_for_the_first_that_is_a_candidate() -> None:
    assert member("m", "sticky", "range", "roundrobin").vote({"roundrobin", "range"}) == "range"


def test_metadata_is_found_by_protocol() -> None:
    assert member("m", "a", "b").metadata("b") == b"b"


def test_metadata_of_an_unsupported_protocol_is_an_error() -> None:
    with pytest.raises(AssertionError, match="roundrobin"):
        member("m", "range").metadata("roundrobin")


def test_a_member_survives_a_round_trip_through_the_log() -> None:
    loaded = GroupMember.from_log_value(LOGGED, "consumer", "range")
    assert loaded.to_log_value("range", loaded.assignment) == LOGGED
    assert loaded.is_static
    assert not loaded.is_new


def test_old_records_have_one_timeout_for_both() -> None:
    old = LOGGED._replace(rebalance_timeout_ms=-1)
    assert GroupMember.from_log_value(old, "consumer", "range").rebalance_timeout_ms == 10_000


def test_a_renamed_member_keeps_all_but_its_id_and_pending_answers() -> None:
    before = GroupMember.from_log_value(LOGGED, "consumer", "range")
    before.awaited_sync = Awaited()
    after = before.renamed("m-2")
    assert after.to_log_value("range", after.assignment) == LOGGED._replace(member_id="m-2")
    assert after.awaited_sync is None


def test_members_are_shown_with_their_pending_answers() -> None:
    shown = member("m")
    shown.awaited_sync = Awaited()
    assert "m instance None of client /127.0.0.1" in shown.as_text()
    assert shown.as_text().endswith("waits for ['sync'] new")

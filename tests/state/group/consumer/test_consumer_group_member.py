from uuid import UUID

from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    ClassicMemberMetadata,
    CurrentAssignment,
    MemberMetadata,
)

TOPIC = UUID(int=100)
MEMBER = ConsumerGroupMember(
    "a", MemberMetadata(), CurrentAssignment(5, 4, MemberState.STABLE, {TOPIC: {0: 4}})
)


def test_a_member_is_reconciled_when_it_is_stable_in_the_epoch() -> None:
    assert MEMBER.is_reconciled_to(5)
    assert not MEMBER.is_reconciled_to(6)
    waits = MEMBER.current._replace(state=MemberState.UNRELEASED_PARTITIONS)
    assert not MEMBER._replace(current=waits).is_reconciled_to(5)


def test_a_static_member_keeps_its_partitions_while_it_is_away() -> None:
    away = MEMBER.away()
    assert (away.member_epoch, away.current.assigned) == (-2, {TOPIC: {0: 0}})
    back = away.returned_as("b")
    assert (back.member_id, back.member_epoch, back.current.assigned) == ("b", 0, {TOPIC: {0: 0}})


def test_a_classic_member_has_protocols() -> None:
    assert (MEMBER.uses_classic, MEMBER.classic_protocols) == (False, ())
    protocols = (("range", b"wants"),)
    classic = MEMBER._replace(metadata=MemberMetadata(classic=ClassicMemberMetadata(9, protocols)))
    assert (classic.uses_classic, classic.classic_protocols) == (True, protocols)

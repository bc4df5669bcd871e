"""LeaveGroup: one member in older versions, several with their own errors in newer ones."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from tests.support.group_members import Member, group_brokers, stable


@pytest.mark.parametrize("version", range(6))
def test_a_member_leaves_in_every_version(version: int) -> None:
    member = Member(group_brokers())
    stable(member)
    answer = member.leave(version=version)
    assert answer.error_code == ErrorCode.NONE
    assert [each.error_code for each in answer.members] == [ErrorCode.NONE] * (version >= 3)
    assert member.heartbeat() == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", range(6))
def test_an_unknown_member_cannot_leave(version: int) -> None:
    brokers = group_brokers()
    stable(Member(brokers))
    stranger = Member(brokers)
    stranger.member_id = "a stranger"
    answer = stranger.leave(version=version)
    codes = [each.error_code for each in answer.members] or [answer.error_code]
    assert codes == [ErrorCode.UNKNOWN_MEMBER_ID]


def test_several_members_leave_in_one_request() -> None:
    brokers = group_brokers()
    leader, follower = Member(brokers), Member(brokers)
    stable(leader, follower)
    answer = leader.leave("a stranger", follower.member_id)
    assert [each.error_code for each in answer.members] == [
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.NONE,
    ]
    assert [each.member_id for each in answer.members] == [
        leader.member_id,
        "a stranger",
        follower.member_id,
    ]

"""Members of share groups, and partitions in the responses to them."""

from uuid import UUID

import pytest

from mockbroker.broker.handlers.share_requests import by_topic, member_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.share_session import MemberKey

ONE, TWO = UUID(int=1), UUID(int=2)


def test_a_member_has_two_ids() -> None:
    assert member_of("g", "m" * 36) == MemberKey("g", "m" * 36)
    assert member_of("", "m") == MemberKey("", "m")


@pytest.mark.parametrize(
    ("group_id", "member_id", "why"),
    [
        (None, "m", "Invalid group id"),
        ("g", None, "Invalid member id"),
        ("g", "", "Invalid member id"),
        ("g", "m" * 37, "Invalid member id"),
    ],
)
def test_ids_that_are_refused(group_id: str | None, member_id: str | None, why: str) -> None:
    with pytest.raises(ApiError, match=why) as caught:
        member_of(group_id, member_id)
    assert caught.value.code is ErrorCode.INVALID_REQUEST


def test_partitions_are_grouped_by_topic() -> None:
    partitions = [(TWO, 1), (ONE, 0), (TWO, 0)]
    assert by_topic(partitions) == {TWO: [(TWO, 1), (TWO, 0)], ONE: [(ONE, 0)]}
    assert by_topic([]) == {}

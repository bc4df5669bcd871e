import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.share.share_heartbeat import ShareHeartbeat, check_heartbeat

JOIN = ShareHeartbeat("g", "m", 0, None, frozenset({"t"}), "c", "/h")


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (JOIN._replace(member_id=" "), "MemberId can't be empty."),
        (JOIN._replace(group_id=" "), "GroupId can't be empty."),
        (JOIN._replace(rack_id=""), "RackId can't be empty."),
        (
            JOIN._replace(subscribed_topic_names=None),
            "SubscribedTopicNames must be set in first request.",
        ),
        (
            JOIN._replace(subscribed_topic_names=frozenset()),
            "SubscribedTopicNames must be set in first request.",
        ),
        (JOIN._replace(member_epoch=-2), "MemberEpoch is invalid."),
    ],
)
def test_a_malformed_request_is_refused(request_: ShareHeartbeat, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_heartbeat(request_)
    assert (refused.value.code, refused.value.why) == (ErrorCode.INVALID_REQUEST, why)


@pytest.mark.parametrize("epoch", [-1, 0, 3])
def test_a_well_formed_request_is_accepted(epoch: int) -> None:
    request = JOIN._replace(member_epoch=epoch)
    check_heartbeat(request)
    assert request.joins == (epoch == 0)

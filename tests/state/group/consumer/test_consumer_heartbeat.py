import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.consumer_heartbeat import ConsumerHeartbeat, check_heartbeat

JOIN = ConsumerHeartbeat(
    group_id="g",
    member_id="m",
    member_epoch=0,
    instance_id=None,
    rack_id=None,
    rebalance_timeout_ms=1000,
    subscribed_topic_names=frozenset({"t"}),
    subscribed_topic_regex=None,
    server_assignor=None,
    owned={},
    client_id="c",
    client_host="/127.0.0.1",
)
ASSIGNORS = ("uniform", "range")


@pytest.mark.parametrize(
    ("request_", "version"),
    [
        (JOIN, 1),
        (JOIN._replace(member_id=""), 0),
        (JOIN._replace(subscribed_topic_names=None, subscribed_topic_regex="x"), 1),
        (JOIN._replace(member_epoch=-2, instance_id="i"), 1),
        (JOIN._replace(member_epoch=4, rebalance_timeout_ms=-1, owned=None), 1),
        (JOIN._replace(server_assignor="range"), 1),
    ],
)
def test_valid_requests_are_accepted(request_: ConsumerHeartbeat, version: int) -> None:
    check_heartbeat(request_, lambda: ASSIGNORS, api_version=version)


@pytest.mark.parametrize(
    ("request_", "version", "why"),
    [
        (JOIN._replace(member_id=""), 1, "MemberId can't be empty."),
        (JOIN._replace(member_id="", member_epoch=1), 0, "MemberId can't be empty."),
        (JOIN._replace(member_id="", member_epoch=-1), 0, "MemberId can't be empty."),
        (JOIN._replace(group_id=" "), 1, "GroupId can't be empty."),
        (JOIN._replace(instance_id=""), 1, "InstanceId can't be empty."),
        (JOIN._replace(rack_id=""), 1, "RackId can't be empty."),
        (JOIN._replace(rebalance_timeout_ms=-1), 1, "RebalanceTimeoutMs must be provided"),
        (JOIN._replace(owned=None), 1, "TopicPartitions must be empty"),
        (JOIN._replace(subscribed_topic_names=None), 1, "Either SubscribedTopicNames or"),
        (JOIN._replace(member_epoch=-2), 1, "InstanceId can't be null."),
        (JOIN._replace(member_epoch=-3), 1, "MemberEpoch is invalid."),
    ],
)
def test_invalid_requests_are_refused(request_: ConsumerHeartbeat, version: int, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_heartbeat(request_, lambda: ASSIGNORS, api_version=version)
    assert refused.value.code is ErrorCode.INVALID_REQUEST
    assert refused.value.why.startswith(why)


def test_an_unknown_assignor_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        check_heartbeat(JOIN._replace(server_assignor="x"), lambda: ASSIGNORS, api_version=1)
    assert refused.value.code is ErrorCode.UNSUPPORTED_ASSIGNOR


def test_a_full_request_has_all_fields() -> None:
    assert JOIN.is_full
    assert JOIN._replace(subscribed_topic_names=None, subscribed_topic_regex="").is_full
    assert not JOIN._replace(subscribed_topic_names=None).is_full
    assert not JOIN._replace(owned=None).is_full
    assert not JOIN._replace(rebalance_timeout_ms=-1).is_full

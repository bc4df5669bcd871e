import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import JoinRequest
from tests.state.group.consumer.consumer_building import (
    CONSUMERS,
    Consumer,
    cluster_of,
)
from tests.state.group.coordinator_building import coordinator_in
from tests.state.group.group_building import join_request


def joining(member_id: str = "") -> JoinRequest:
    return join_request(group_id=CONSUMERS, member_id=member_id)


def test_a_classic_member_cannot_join_consumers() -> None:
    cluster = cluster_of(orders=1)
    Consumer(cluster).join()
    membership = coordinator_in(cluster).membership
    for member_id in ("", "x"):
        answer = membership.join(joining(member_id), 0).answer
        assert answer is not None
        assert (answer.code, answer.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")
    with pytest.raises(ApiError) as refused:
        membership.heartbeat(CONSUMERS, "a", None, 2, 0)
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_classic_member_takes_the_id_of_a_group_without_consumers() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster)
    one.join()
    one.leave()
    coordinator = coordinator_in(cluster)
    coordinator.membership.join(joining(), 0)
    assert isinstance(coordinator.groups.get(CONSUMERS), ClassicGroup)

"""Requests of the classic protocol find the group of either kind."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.group_administration import GroupFilters
from tests.state.group.consumer.classic_building import ClassicMember
from tests.state.group.consumer.consumer_building import CONSUMERS, Consumer, cluster_of, group_in
from tests.state.group.coordinator_building import commit, coordinator_in, home_of, offset


def len_of_log(cluster: ClusterState) -> int:
    log = home_of(cluster).log
    assert log is not None
    return log.log_end_offset


def test_a_consumer_group_with_members_takes_classic_ones() -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    two = ClassicMember(cluster, "c")
    two.join()
    assert "c" in group_in(cluster).members
    assert two.leave() == [ErrorCode.NONE]
    assert "c" not in group_in(cluster).members


def test_an_empty_consumer_group_becomes_classic() -> None:
    cluster = cluster_of(orders=2, configs={"group.initial.rebalance.delay.ms": "0"})
    one = Consumer(cluster)
    one.join()
    one.leave()
    two = ClassicMember(cluster)
    with pytest.raises(ApiError) as refused:
        two.beat()
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID
    assert two.sync().code is ErrorCode.UNKNOWN_MEMBER_ID
    two.lead({"orders": [0, 1]})
    assert two.beat() is ErrorCode.NONE
    assert two.assigned() == {"orders": [0, 1]}


def test_an_unknown_member_has_an_empty_group_dropped_until_its_coordinator_moves() -> None:
    """Kafka forgets the group, but refuses the member without writing the tombstones."""
    cluster = cluster_of(orders=2)
    one = Consumer(cluster)
    one.join()
    one.leave()
    coordinator, end = coordinator_in(cluster), len_of_log(cluster)
    refused = coordinator.classic_requests.join(ClassicMember(cluster, "c").request(), 0).answer
    assert refused is not None
    assert refused.code is ErrorCode.UNKNOWN_MEMBER_ID
    groups = coordinator.groups
    assert groups.find(CONSUMERS) is None
    assert len_of_log(cluster) == end
    dropped = groups.dropped(CONSUMERS)
    assert dropped is not None
    assert [each.group_id for each in coordinator.list_groups(GroupFilters())] == [CONSUMERS]
    commit(coordinator, offset(1, group_id="other"))
    assert groups.dropped(CONSUMERS) is None
    index = groups.partition_for(CONSUMERS)
    groups.start_loading(index, 1)
    groups.load(index, 1, 0)
    found = groups.find(CONSUMERS)
    assert found is not None
    assert found.as_text() == dropped.as_text()


def test_the_session_timeout_has_limits_in_both() -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    request = ClassicMember(cluster, "c").request()._replace(session_timeout_ms=1)
    answer = coordinator_in(cluster).classic_requests.join(request, 0).answer
    assert answer is not None
    assert (answer.code, answer.member_id) == (ErrorCode.INVALID_SESSION_TIMEOUT, "c")


def test_a_new_member_gets_its_id_first() -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    request = ClassicMember(cluster).request()._replace(must_have_member_id=True)
    answer = coordinator_in(cluster).classic_requests.join(request, 0).answer
    assert answer is not None
    assert (answer.code, len(answer.member_id)) == (ErrorCode.MEMBER_ID_REQUIRED, 22)
    assert list(group_in(cluster).members) == ["a"]

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroupState
from tests.conformance.classic_consumers import subscribed
from tests.state.group.consumer.classic_building import ClassicMember
from tests.state.group.consumer.consumer_building import Consumer, cluster_of, group_in
from tests.state.group.coordinator_building import coordinator_in


def test_a_classic_member_gets_its_share() -> None:
    cluster = cluster_of(orders=2)
    one, two = Consumer(cluster), ClassicMember(cluster, "c")
    one.join()
    joined = two.join()
    assert (joined.leader_id, joined.members, joined.protocol_name) == ("", (), "range")
    assert joined.generation_id == group_in(cluster).group_epoch
    assert two.assigned() == {}
    assert two.beat() is ErrorCode.NONE
    one.beat()
    one.beat(one.assigned)
    assert two.beat() is ErrorCode.REBALANCE_IN_PROGRESS
    two.join({})
    assert sorted([*two.assigned()["orders"], *one.assigned["orders"]]) == [0, 1]
    assert two.beat() is ErrorCode.NONE
    assert group_in(cluster).state is ConsumerGroupState.STABLE


def test_a_member_that_reports_partitions_keeps_its_epoch_until_it_has_revoked() -> None:
    cluster = cluster_of(orders=2)
    two = ClassicMember(cluster)
    two.lead({"orders": [0, 1]})
    one = Consumer(cluster, "b")
    one.join()
    assert two.beat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert two.sync().code is ErrorCode.REBALANCE_IN_PROGRESS
    assert two.join({"orders": [0, 1]}).generation_id == 1
    kept = two.assigned()
    assert len(kept["orders"]) == 1
    assert two.beat() is ErrorCode.REBALANCE_IN_PROGRESS
    assert two.join(kept).generation_id == 2
    assert two.assigned() == kept


@pytest.mark.parametrize(
    ("protocols", "protocol_type"),
    [
        ((), "consumer"),
        ((("range", b""),), "consumer"),
        ((("range", b"\0\3no"),), "consumer"),
        ((("range", b"\xff\xff"),), "consumer"),
        ((("sticky", subscribed("orders")),), "consumer"),
        ((("range", subscribed("orders")),), "connect"),
    ],
)
def test_other_protocols_are_refused(
    protocols: tuple[tuple[str, bytes], ...], protocol_type: str
) -> None:
    cluster = cluster_of(orders=2)
    Consumer(cluster).join()
    ClassicMember(cluster, "c").join()
    other = ClassicMember(cluster, "o")
    request = other.request()._replace(protocols=protocols, protocol_type=protocol_type)
    answer = coordinator_in(cluster).classic_requests.join(request, 0).answer
    assert answer is not None
    assert (answer.code, answer.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")
    assert "o" not in group_in(cluster).members


def test_members_of_the_other_protocol_and_generation_are_refused() -> None:
    cluster = cluster_of(orders=2)
    one, two = Consumer(cluster), ClassicMember(cluster, "c")
    one.join()
    two.join()
    stranger = ClassicMember(cluster, "a")
    stranger.generation = one.epoch
    assert stranger.sync().code is ErrorCode.UNKNOWN_MEMBER_ID
    two.generation += 1
    assert two.sync().code is ErrorCode.ILLEGAL_GENERATION
    with pytest.raises(ApiError) as refused:
        two.beat()
    assert refused.value.code is ErrorCode.ILLEGAL_GENERATION
    static = ClassicMember(cluster, "c", instance_id="i")
    assert static.sync().code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_changes_its_protocol() -> None:
    cluster = cluster_of(orders=2)
    one, other = Consumer(cluster, instance_id="i"), Consumer(cluster, "b")
    one.join()
    other.join()
    two = ClassicMember(cluster, instance_id="i")
    assert two.join().code is ErrorCode.NONE
    assert sorted(group_in(cluster).members) == sorted(["b", two.member_id])
    again = Consumer(cluster, "d", instance_id="i")
    again.join()
    assert sorted(group_in(cluster).members) == ["b", "d"]
    fenced = two.sync()
    assert fenced.code is ErrorCode.FENCED_INSTANCE_ID

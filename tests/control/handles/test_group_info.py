"""What is shown of groups of each kind."""

from mockbroker.control.handles.group_info import GroupInfo, MemberInfo, group_info
from mockbroker.protocol.codec import encode
from mockbroker.protocol.consumer_protocol import ConsumerProtocolAssignment, TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.group_answers import JoinResult, SyncRequest
from mockbroker.state.random_source import uuid_text
from tests.state.group.consumer import consumer_building
from tests.state.group.consumer.consumer_building import CONSUMERS, Consumer, id_of
from tests.state.group.coordinator_building import (
    ANYBODY,
    SUBSCRIPTION,
    coordinating,
    coordinator_in,
    offset,
)
from tests.state.group.coordinator_building import GROUP as READERS
from tests.state.group.group_building import GROUP, join_request
from tests.state.group.share import share_building
from tests.state.group.share.share_building import SHARERS
from tests.state.group.streams import streams_building
from tests.state.group.streams.streams_building import APP, Streams, tasks


def shown(cluster: ClusterState, group_id: str) -> GroupInfo:
    group = coordinator_in(cluster).groups.find(group_id)
    assert group is not None
    return group_info(cluster, 1, group)


def test_a_consumer_that_has_to_revoke_is_shown() -> None:
    cluster = consumer_building.cluster_of(orders=2)
    one, two = Consumer(cluster, instance_id="i-1"), Consumer(cluster, "b")
    one.join()
    two.join()
    one.beat({"orders": [0, 1]})
    info = shown(cluster, CONSUMERS)
    assert info[:7] == (CONSUMERS, "consumer", "Reconciling", 1, 3, 3, False)
    assert info.members["a"] == MemberInfo(
        member_id="a",
        instance_id="i-1",
        client_id="client",
        client_host="/127.0.0.1",
        member_epoch=2,
        state="UNREVOKED_PARTITIONS",
        subscribed_topics=("orders",),
        assigned=(("orders", 0),),
        pending_revocation=(("orders", 1),),
        target=(("orders", 0),),
    )
    assert info.members["b"].target == (("orders", 1),)


def test_partitions_of_a_deleted_topic_have_its_id() -> None:
    cluster = consumer_building.cluster_of(orders=1)
    Consumer(cluster).join()
    topic_id = id_of(cluster, "orders")
    cluster.delete_topic(cluster.topics.by_name["orders"])
    assert shown(cluster, CONSUMERS).members["a"].assigned == ((uuid_text(topic_id), 0),)


def test_a_member_of_a_streams_group_is_shown_with_its_tasks() -> None:
    cluster = streams_building.cluster_of(orders=2)
    one, two = Streams(cluster), Streams(cluster, "b")
    one.join()
    two.join()
    one.beat(tasks(0, 1))
    info = shown(cluster, APP)
    assert info[1:6] == ("streams", "Reconciling", 1, 3, 3)
    first = info.members["a"]
    assert (first.state, first.member_epoch) == ("UNREVOKED_TASKS", 2)
    assert (first.assigned, first.pending_revocation) == ((("0", 0),), (("0", 1),))
    assert (first.target, first.subscribed_topics) == ((("0", 0),), ("orders",))
    assert (first.standby, first.warmup) == ((), ())


def test_the_members_of_a_classic_group_are_shown() -> None:
    cluster = coordinating()
    membership = coordinator_in(cluster).membership
    joining = membership.join(join_request(metadata=SUBSCRIPTION), 0)
    (waiting,) = shown(cluster, GROUP).members.values()
    assert (waiting.state, waiting.subscribed_topics) == ("AWAITING_JOIN", ("orders",))
    cluster.advance_to(0)
    joined = joining.answer
    assert joined is not None
    pending = shown(cluster, GROUP)
    assert (pending.state, pending.group_epoch, pending.assignment_epoch) == (
        "CompletingRebalance",
        1,
        0,
    )
    sync(cluster, joined)
    stable = shown(cluster, GROUP)
    assert (stable.kind, stable.state, stable.assignment_epoch) == ("classic", "Stable", 1)
    (member,) = stable.members.values()
    assert member.member_id == joined.member_id
    assert (member.member_epoch, member.state) == (1, "STABLE")
    assert member.assigned == member.target == (("orders", 1),)


def test_a_follower_waits_for_its_assignment() -> None:
    cluster = coordinating()
    membership = coordinator_in(cluster).membership
    joining = [membership.join(join_request(metadata=SUBSCRIPTION), 0) for _ in range(2)]
    cluster.advance_to(0)
    leader, follower = (each.answer for each in joining)
    assert leader is not None
    assert follower is not None
    if leader.leader_id != leader.member_id:
        leader, follower = follower, leader
    membership.sync(SyncRequest(GROUP, 1, follower.member_id), 0)
    members = shown(cluster, GROUP).members
    assert members[follower.member_id].state == "AWAITING_SYNC"


def sync(cluster: ClusterState, joined: JoinResult) -> None:
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[TopicPartition(topic="orders", partitions=[1])]
    )
    given = ((joined.member_id, b"\0\0" + encode(assignment, 0)),)
    request = SyncRequest(GROUP, joined.generation_id, joined.member_id, assignments=given)
    coordinator_in(cluster).membership.sync(request, 0)


def test_committed_offsets_and_holds_are_shown() -> None:
    cluster = coordinating()
    coordinator_in(cluster).commit_offsets(READERS, ANYBODY, [offset(7)], 0)
    cluster.held_reconciliations.hold(READERS)
    info = shown(cluster, READERS)
    assert (info.state, info.members, info.is_held) == ("Empty", {}, True)
    assert info.offsets == {("orders", 0): 7}


def test_members_of_a_share_group_are_shown() -> None:
    cluster = share_building.cluster_of(orders=2)
    one = share_building.joined(cluster)
    share_building.joined(cluster, "b")
    info = shown(cluster, SHARERS)
    assert info[:7] == (SHARERS, "share", "Stable", 1, 4, 4, False)
    assert list(info.members) == ["a", "b"]
    assert info.members["a"] == MemberInfo(
        member_id="a",
        instance_id=None,
        client_id="client",
        client_host="/127.0.0.1",
        member_epoch=one.epoch,
        state="STABLE",
        subscribed_topics=("orders",),
        assigned=(("orders", 0), ("orders", 1)),
        target=(("orders", 1),),
    )
    assert info.members["b"].assigned == info.members["b"].target == (("orders", 0),)

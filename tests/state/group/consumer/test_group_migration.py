import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import GroupChanged
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from tests.state.group.consumer.classic_building import ClassicMember
from tests.state.group.consumer.consumer_building import (
    CONSUMERS,
    Consumer,
    cluster_of,
    group_in,
)
from tests.state.group.coordinator_building import coordinator_in

DELAY = "group.initial.rebalance.delay.ms"
POLICY = "group.consumer.migration.policy"


def cluster_with(**configs: str) -> ClusterState:
    return cluster_of(orders=2, configs={DELAY: "0", **configs})


def classic_in(cluster: ClusterState) -> ClassicGroup:
    group = coordinator_in(cluster).groups.get(CONSUMERS)
    assert isinstance(group, ClassicGroup)
    return group


def load_again(cluster: ClusterState) -> None:
    coordinator = coordinator_in(cluster)
    coordinator.on_resignation(0)
    coordinator.on_election(0, 5)
    cluster.run_pending(0)


def test_a_classic_group_becomes_a_consumer_group() -> None:
    cluster = cluster_with()
    one = ClassicMember(cluster)
    one.lead({"orders": [0, 1]})
    two = Consumer(cluster, "b")
    two.join()
    group = group_in(cluster)
    member = group.members[one.member_id]
    assert (member.uses_classic, member.member_epoch, two.epoch) == (True, 1, 2)
    assert member.metadata.subscribed_topic_names == {"orders"}
    load_again(cluster)
    assert group_in(cluster).members == group.members


def test_it_becomes_classic_again_when_the_last_such_member_leaves() -> None:
    cluster = cluster_with()
    one = ClassicMember(cluster)
    one.lead({"orders": [0, 1]})
    two = Consumer(cluster, "b")
    two.join()
    two.leave()
    group = classic_in(cluster)
    assert (group.state, group.generation_id) == (GroupState.PREPARING_REBALANCE, 2)
    assert group.leader_id == one.member_id
    assert one.join({}).generation_id == 3
    load_again(cluster)
    assert list(classic_in(cluster).members) == [one.member_id]


def test_a_static_member_that_returns_makes_it_classic_without_a_rebalance() -> None:
    cluster = cluster_with()
    one = Consumer(cluster, instance_id="i")
    one.join()
    one.leave(-2)
    two = ClassicMember(cluster, instance_id="i")
    assert two.join().generation_id == one_epoch(cluster)
    assert classic_in(cluster).state is GroupState.STABLE
    assert two.assigned() == {"orders": [0, 1]}
    load_again(cluster)
    assert list(classic_in(cluster).members) == [two.member_id]


def one_epoch(cluster: ClusterState) -> int:
    return classic_in(cluster).generation_id


@pytest.mark.parametrize(
    ("policy", "upgrades", "downgrades"),
    [
        ("disabled", False, False),
        ("upgrade", True, False),
        ("DOWNGRADE", False, True),
        ("bidirectional", True, True),
    ],
)
def test_the_policy_allows_each_way(policy: str, *, upgrades: bool, downgrades: bool) -> None:
    cluster = cluster_with(**{POLICY: policy})
    ClassicMember(cluster).lead({})
    two = Consumer(cluster, "b")
    if upgrades:
        two.join()
    else:
        with pytest.raises(ApiError, match="online upgrade is disabled"):
            two.join()
    other = cluster_with(**{POLICY: policy})
    one = Consumer(other)
    one.join()
    joined = ClassicMember(other, "c").join()
    is_disabled = policy == "disabled"
    assert (joined.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL) == is_disabled
    one.leave()
    group = coordinator_in(other).groups.get(CONSUMERS)
    assert isinstance(group, ClassicGroup) == downgrades


@pytest.mark.parametrize("limit", ["group.max.size", "group.consumer.max.size"])
def test_a_group_that_is_too_large_stays_what_it_is(limit: str) -> None:
    cluster = cluster_with(**{limit: "1"})
    if limit == "group.consumer.max.size":
        ClassicMember(cluster).lead({})
        with pytest.raises(ApiError) as refused:
            Consumer(cluster, "b").join()
        assert refused.value.code is ErrorCode.GROUP_MAX_SIZE_REACHED
        assert classic_in(cluster).state is GroupState.STABLE
        return
    one = Consumer(cluster)
    one.join()
    ClassicMember(cluster, "c").join()
    ClassicMember(cluster, "d").join()
    one.leave()
    assert sorted(group_in(cluster).members) == ["c", "d"]


@pytest.mark.parametrize(
    ("user_data", "protocols", "why"),
    [
        (b"mine", None, "an unsupported custom assignor is in use"),
        (None, (("range", b"\0\3no"),), "the embedded consumer protocol is malformed"),
    ],
)
def test_what_a_server_cannot_assign_is_refused(
    user_data: bytes | None, protocols: tuple[tuple[str, bytes], ...] | None, why: str
) -> None:
    cluster = cluster_with()
    one = ClassicMember(cluster)
    one.protocols = protocols or one.protocols
    one.lead({"orders": [0, 1]}, user_data)
    with pytest.raises(ApiError, match=why) as refused:
        Consumer(cluster, "b").join()
    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    assert classic_in(cluster).state is GroupState.STABLE


def test_members_that_wait_are_told_to_join_again() -> None:
    cluster = cluster_with()
    one = ClassicMember(cluster)
    one.lead({"orders": [0, 1]})
    late = ClassicMember(cluster)
    awaited = coordinator_in(cluster).classic_requests.join(late.request(), 0)
    assert awaited.answer is None
    Consumer(cluster, "b").join()
    assert awaited.answer is not None
    assert awaited.answer.code is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_group_that_has_chosen_no_protocol_yet_is_not_converted() -> None:
    cluster = cluster_with(**{DELAY: "3000"})
    awaited = coordinator_in(cluster).classic_requests.join(ClassicMember(cluster).request(), 0)
    with pytest.raises(ApiError) as refused:
        Consumer(cluster, "b").join()
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert awaited.answer is not None


def test_the_change_is_reported() -> None:
    cluster = cluster_with()
    ClassicMember(cluster).lead({"orders": [0, 1]})
    changes: list[tuple[str, str, int]] = []

    def observe(event: object) -> None:
        if isinstance(event, GroupChanged):
            changes.append((event.before, event.after, len(event.members)))

    cluster.observation.reporter = EventReporter(observe)
    two = Consumer(cluster, "b")
    two.join()
    two.leave()
    assert changes == [
        ("Stable", "Reconciling", 2),
        ("Reconciling", "Stable", 1),
        ("Stable", "PreparingRebalance", 1),
    ]

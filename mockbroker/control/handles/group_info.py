"""Values that show a group of any kind and its members, as its coordinator has them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from mockbroker.protocol.consumer_protocol import assigned_partitions
from mockbroker.protocol.types import Uuid
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.classic_group import CONSUMER_PROTOCOL_TYPE, ClassicGroup
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.group.share.share_group import ShareGroup, ShareGroupMember
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.tasks import NO_TASKS
from mockbroker.state.group_lag import committed_offsets
from mockbroker.state.random_source import uuid_text

Places: TypeAlias = tuple[tuple[str, int], ...]
"""Topics and partitions in order; for tasks of streams groups, subtopologies and partitions."""


class MemberInfo(NamedTuple):
    """A member of a group; in a streams group, partitions are tasks: `("0", 3)` is task `0_3`."""

    member_id: str
    instance_id: str | None
    """The instance id of a static member."""
    client_id: str
    client_host: str
    member_epoch: int
    """The member's epoch: -2 while a static member is away; the generation in a classic group."""
    state: str
    """`STABLE`, `UNREVOKED_PARTITIONS` (it has to give up some first), `UNRELEASED_PARTITIONS`
    (others have not given up some of its own), `UNREVOKED_TASKS` or `UNRELEASED_TASKS`. A member
    of a share group is `UNRELEASED_PARTITIONS` only if it joined while the group is held. In a
    classic group, `AWAITING_JOIN` and `AWAITING_SYNC` while it waits for that answer."""
    subscribed_topics: tuple[str, ...]
    assigned: Places
    """What it may own. In a streams group, its active tasks."""
    pending_revocation: Places = ()
    """What it has to give up, and may still own."""
    target: Places = ()
    """What it will own once it has reached the target assignment; in a classic group, as
    `assigned`."""
    standby: Places = ()
    """The standby tasks of a member of a streams group."""
    warmup: Places = ()
    """The warm-up tasks of a member of a streams group."""


class GroupInfo(NamedTuple):
    """A group of any kind."""

    group_id: str
    kind: str
    """`classic`, `consumer`, `share` or `streams`."""
    state: str
    """The state by Kafka's name, such as `Stable` or `Reconciling`."""
    coordinator: int
    """The id of the broker that coordinates it."""
    group_epoch: int
    """The group's epoch; the generation of a classic group."""
    assignment_epoch: int
    """The epoch of the target assignment; in a classic group, the last assigned generation."""
    is_held: bool
    """True if its members are kept from new assignments."""
    members: dict[str, MemberInfo]
    """The members by id, in the order in which they joined."""
    offsets: dict[tuple[str, int], int]
    """Committed offsets by topic and partition."""


def group_info(cluster: ClusterState, broker_id: int, group: Group) -> GroupInfo:
    """Show a group of the coordinator on a broker."""
    group_id = group.group_id
    state, group_epoch, assignment_epoch = _progress_of(group)
    return GroupInfo(
        group_id,
        group.kind.value,
        state,
        broker_id,
        group_epoch,
        assignment_epoch,
        group_id in cluster.held_reconciliations,
        {each.member_id: each for each in _members_of(cluster, group)},
        committed_offsets(cluster, broker_id, group),
    )


def _progress_of(group: Group) -> tuple[str, int, int]:
    """Return the state, the epoch, and the epoch of the assignment."""
    if isinstance(group, ClassicGroup):
        is_pending = group.state is GroupState.COMPLETING_REBALANCE
        return group.state.title, group.generation_id, group.generation_id - is_pending
    assert is_modern(group), group.group_id
    target_epoch = group.group_epoch
    if isinstance(group, ConsumerGroup | ShareGroup):
        target_epoch = group.target.assignment_epoch
    elif isinstance(group, StreamsGroup):
        target_epoch = group.target_epoch.assignment_epoch
    return group.state_title, group.group_epoch, target_epoch


def _members_of(cluster: ClusterState, group: Group) -> Iterable[MemberInfo]:
    if isinstance(group, ClassicGroup):
        return _classic_members(cluster, group)
    if isinstance(group, ConsumerGroup):
        return _consumer_members(cluster, group)
    if isinstance(group, StreamsGroup):
        return _streams_members(group)
    assert isinstance(group, ShareGroup), group.group_id
    return _share_members(cluster, group)


def _classic_members(cluster: ClusterState, group: ClassicGroup) -> list[MemberInfo]:
    return [_classic_member(cluster, group, each) for each in group.members.values()]


def _classic_member(cluster: ClusterState, group: ClassicGroup, member: GroupMember) -> MemberInfo:
    is_consumer = group.protocol_type == CONSUMER_PROTOCOL_TYPE
    _, metadata = member.supported_protocols[0]
    topics = cluster.records.read_subscribed_topics(metadata) if is_consumer else None
    assigned = tuple(sorted(assigned_partitions(member.assignment))) if is_consumer else ()
    state = "STABLE"
    if member.awaited_join is not None:
        state = "AWAITING_JOIN"
    elif member.awaited_sync is not None:
        state = "AWAITING_SYNC"
    return MemberInfo(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        member.client_host,
        group.generation_id,
        state,
        tuple(sorted(topics or ())),
        assigned,
        target=assigned,
    )


def _consumer_members(cluster: ClusterState, group: ConsumerGroup) -> list[MemberInfo]:
    return [_consumer_member(cluster, group, each) for each in group.members.values()]


def _consumer_member(
    cluster: ClusterState, group: ConsumerGroup, member: ConsumerGroupMember
) -> MemberInfo:
    return MemberInfo(
        member.member_id,
        member.instance_id,
        member.metadata.client_id,
        member.metadata.client_host,
        member.member_epoch,
        member.current.state.name,
        tuple(sorted(group.topics_of(member))),
        _named(cluster, member.current.assigned),
        _named(cluster, member.current.pending_revocation),
        _named(cluster, group.target.of(member.member_id)),
    )


def _share_members(cluster: ClusterState, group: ShareGroup) -> list[MemberInfo]:
    return [_share_member(cluster, group, each) for each in group.members.values()]


def _share_member(cluster: ClusterState, group: ShareGroup, member: ShareGroupMember) -> MemberInfo:
    return MemberInfo(
        member.member_id,
        None,
        member.metadata.client_id,
        member.metadata.client_host,
        member.member_epoch,
        member.current.state.name,
        tuple(sorted(member.metadata.subscribed_topic_names)),
        _named(cluster, member.current.assigned),
        target=_named(cluster, group.target.of(member.member_id)),
    )


def _streams_members(group: StreamsGroup) -> list[MemberInfo]:
    return [_streams_member(group, each) for each in group.members.values()]


def _streams_member(group: StreamsGroup, member: StreamsGroupMember) -> MemberInfo:
    topology = group.topology
    subtopologies = () if topology is None else topology.subtopologies.values()
    target = group.targets.get(member.member_id, NO_TASKS)
    return MemberInfo(
        member.member_id,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.member_epoch,
        member.state.name,
        tuple(sorted({topic for each in subtopologies for topic in each.input_topics()})),
        _tasks(member.assigned.active),
        _tasks(member.pending_revocation.active),
        _tasks(target.active),
        _tasks(member.assigned.standby),
        _tasks(member.assigned.warmup),
    )


def _topic_name(cluster: ClusterState, topic_id: Uuid) -> str:
    """Return the name of a topic; its id, if the topic was deleted."""
    topic = cluster.topics.by_id(topic_id)
    return uuid_text(topic_id) if topic is None else topic.name


def _named(cluster: ClusterState, partitions: Mapping[Uuid, Iterable[int]]) -> Places:
    return _places((_topic_name(cluster, each), own) for each, own in partitions.items())


def _places(partitions: Iterable[tuple[str, Iterable[int]]]) -> Places:
    return tuple(sorted((topic, index) for topic, own in partitions for index in own))


def _tasks(tasks: Mapping[str, Iterable[int]]) -> Places:
    return _places(tasks.items())

"""Documents of groups of any kind, from their coordinators."""

from mockbroker.control.handles.group_info import GroupInfo, MemberInfo, Places, group_info
from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.transaction_view import TopicPartitionView
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, NO_LEADER


class GroupMemberView(View):
    """A member of a group; in a streams group, `topic` is the subtopology of a task."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    member_epoch: int
    """The member's epoch: -2 while a static member is away; the generation in a classic group."""
    state: str
    subscribed_topics: list[str]
    assigned: list[TopicPartitionView]
    """Partitions that it may own; in a streams group, its active tasks."""
    pending_revocation: list[TopicPartitionView]
    """What it has to give up, and may still own."""
    target: list[TopicPartitionView]
    """What it will own once it has reached the target assignment."""
    standby: list[TopicPartitionView]
    """Standby tasks of a member of a streams group."""
    warmup: list[TopicPartitionView]
    """Warm-up tasks of a member of a streams group."""


class CommittedOffsetView(View):
    """A committed offset."""

    topic: str
    partition: int
    offset: int


class GroupView(View):
    """A group, from its coordinator's state."""

    group_id: str
    kind: str
    """`classic`, `consumer`, `share` or `streams`."""
    state: str
    coordinator: int
    group_epoch: int
    """The group's epoch; the generation of a classic group."""
    assignment_epoch: int
    """The epoch of the target assignment; in a classic group, the last assigned generation."""
    is_held: bool
    """True if its members are kept from new assignments."""
    members: list[GroupMemberView]
    offsets: list[CommittedOffsetView]


class GroupsView(View):
    """All groups, in the order of their ids."""

    groups: list[GroupView]


def groups_view(cluster: ClusterState) -> GroupsView:
    """Show all groups."""
    offsets = cluster.topics.by_name.get(CONSUMER_OFFSETS)
    leaders = {each.leader_id for each in offsets.partitions} if offsets is not None else set[int]()
    shown = [
        group_view(group_info(cluster, broker_id, group))
        for broker_id in leaders - {NO_LEADER}
        for group in cluster.group_coordinator(broker_id).groups
    ]
    return GroupsView(groups=sorted(shown, key=lambda each: each.group_id))


def group_view(info: GroupInfo) -> GroupView:
    """Show a group."""
    return GroupView(
        group_id=info.group_id,
        kind=info.kind,
        state=info.state,
        coordinator=info.coordinator,
        group_epoch=info.group_epoch,
        assignment_epoch=info.assignment_epoch,
        is_held=info.is_held,
        members=[_member_view(each) for each in info.members.values()],
        offsets=[
            CommittedOffsetView(topic=topic, partition=partition, offset=offset)
            for (topic, partition), offset in info.offsets.items()
        ],
    )


def _member_view(member: MemberInfo) -> GroupMemberView:
    return GroupMemberView(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_epoch=member.member_epoch,
        state=member.state,
        subscribed_topics=list(member.subscribed_topics),
        assigned=_places(member.assigned),
        pending_revocation=_places(member.pending_revocation),
        target=_places(member.target),
        standby=_places(member.standby),
        warmup=_places(member.warmup),
    )


def _places(places: Places) -> list[TopicPartitionView]:
    return [TopicPartitionView(topic=topic, partition=partition) for topic, partition in places]

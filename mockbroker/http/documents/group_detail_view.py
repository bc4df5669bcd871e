"""Document of a group for people: its members, and its committed offsets with their lag."""

from itertools import islice
from typing import Final

from mockbroker.control.handles.group_info import group_info
from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.group_view import GroupView, group_view
from mockbroker.http.missing import missing
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group_lag import groups_of, lag_of

MEMBERS_MAX: Final = 100
OFFSETS_MAX: Final = 200


class OffsetRow(View):
    """A committed offset, and what comes after it."""

    topic: str
    partition: int
    committed: int
    log_end_offset: int | None
    """`null` if the topic was deleted."""
    lag: int | None
    member_id: str | None
    """The member to which the partition is assigned."""


class GroupDetailView(View):
    """A group with at most so many members and offsets, and their numbers."""

    group: GroupView
    """Its `offsets` are left out: `rows` has them."""
    members: int
    offsets: int
    lag: int
    rows: list[OffsetRow]


def group_detail_view(cluster: ClusterState, group_id: str) -> GroupDetailView:
    """Show a group.

    Raises:
        Problem: there is no such group.

    """
    known = {group.group_id: (broker_id, group) for broker_id, group in groups_of(cluster)}
    if group_id not in known:
        raise missing("group", group_id, known)
    info = group_info(cluster, *known[group_id])
    owners = {place: each.member_id for each in info.members.values() for place in each.assigned}
    lags = lag_of(cluster, info.offsets)
    rows = [
        OffsetRow(
            topic=topic,
            partition=partition,
            committed=offset,
            log_end_offset=_log_end_of(cluster, topic, partition),
            lag=lags.get((topic, partition)),
            member_id=owners.get((topic, partition)),
        )
        for (topic, partition), offset in islice(info.offsets.items(), OFFSETS_MAX)
    ]
    shown = dict(islice(info.members.items(), MEMBERS_MAX))
    return GroupDetailView(
        group=group_view(info._replace(offsets={}, members=shown)),
        members=len(info.members),
        offsets=len(info.offsets),
        lag=sum(lags.values()),
        rows=rows,
    )


def _log_end_of(cluster: ClusterState, name: str, index: int) -> int | None:
    topic = cluster.topics.get(name)
    partition = None if topic is None else topic.partition(index)
    if partition is None:
        return None
    return 0 if partition.log is None else partition.log.log_end_offset

"""Document of the share partitions of a group for people: a bounded part of what is in flight."""

from itertools import islice
from typing import Final

from mockbroker.broker.service import Service
from mockbroker.control.handles.share_info import (
    SharePartitionInfo,
    share_partitions_of,
)
from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.share_view import SharePartitionView, share_partitions_view
from mockbroker.http.missing import missing
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group_lag import groups_of

PARTITIONS_MAX: Final = 50
IN_FLIGHT_MAX: Final = 20
DEAD_LETTERS_MAX: Final = 20


class ShareRow(View):
    """A share partition with its first records in flight."""

    share_partition: SharePartitionView
    in_flight_count: int
    """Number of rows that it has, where `in_flight` has only the first ones."""


class ShareDetailView(View):
    """The share partitions of a group, and the dead letters that are held."""

    rows: list[ShareRow]
    total: int
    """Number of share partitions."""
    holds_dead_letters: bool
    waiting: list[str]
    """The first dead letters that wait, in the order in which they are written."""
    waiting_count: int


def share_detail_view(service: Service, group_id: str) -> ShareDetailView:
    """Show the share partitions of a group; a group of another kind has none.

    Raises:
        Problem: there is no such group.

    """
    cluster = service.cluster
    known = {group.group_id: group for _, group in groups_of(cluster)}
    if group_id not in known:
        raise missing("group", group_id, known)
    group = known[group_id]
    infos = share_partitions_of(service, group) if isinstance(group, ShareGroup) else {}
    waiting = cluster.held_dead_letters.waiting(group_id)
    return ShareDetailView(
        rows=[_row(each) for each in islice(infos.values(), PARTITIONS_MAX)],
        total=len(infos),
        holds_dead_letters=group_id in cluster.held_dead_letters,
        waiting=list(waiting[:DEAD_LETTERS_MAX]),
        waiting_count=len(waiting),
    )


def _row(info: SharePartitionInfo) -> ShareRow:
    cut = info._replace(in_flight=info.in_flight[:IN_FLIGHT_MAX])
    (shown,) = share_partitions_view([cut]).share_partitions
    return ShareRow(share_partition=shown, in_flight_count=len(info.in_flight))

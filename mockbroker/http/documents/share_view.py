"""Documents of the share partitions of a group, from their leaders."""

from collections.abc import Iterable

from mockbroker.control.handles.share_info import SharePartitionInfo
from mockbroker.faults.documents.strict import View


class InFlightRecordsView(View):
    """Consecutive records of a share partition in the same state."""

    first_offset: int
    last_offset: int
    state: str
    """`AVAILABLE`, `ACQUIRED`, `ACKNOWLEDGED`, `ARCHIVING` or `ARCHIVED`."""
    delivery_count: int
    member_id: str | None
    """The member that has acquired them."""
    lock_expires_ms: int | None
    """The time on the cluster's clock at which they are released, in milliseconds since 1970."""


class SharePartitionView(View):
    """A partition as a share group sees it."""

    topic: str
    partition: int
    leader: int
    """The id of the broker that delivers its records."""
    share_coordinator: int
    """The id of the broker that stores its state; -1 if there is none."""
    is_loaded: bool
    """False if the leader has not read the state yet; this is what is stored then."""
    start_offset: int
    """The first offset of the window; -1 if no leader has decided that yet."""
    end_offset: int
    """The last offset in flight; the start offset if none is."""
    delivery_complete_count: int
    in_flight: list[InFlightRecordsView]


class SharePartitionsView(View):
    """The share partitions of a group, in the order of topics and partitions."""

    share_partitions: list[SharePartitionView]


def share_partitions_view(infos: Iterable[SharePartitionInfo]) -> SharePartitionsView:
    """Show share partitions."""
    return SharePartitionsView(share_partitions=[_partition_view(each) for each in infos])


def _partition_view(info: SharePartitionInfo) -> SharePartitionView:
    return SharePartitionView(
        topic=info.topic,
        partition=info.partition,
        leader=info.leader,
        share_coordinator=info.share_coordinator,
        is_loaded=info.is_loaded,
        start_offset=info.start_offset,
        end_offset=info.end_offset,
        delivery_complete_count=info.delivery_complete_count,
        in_flight=[
            InFlightRecordsView(
                first_offset=each.first_offset,
                last_offset=each.last_offset,
                state=each.state,
                delivery_count=each.delivery_count,
                member_id=each.member_id,
                lock_expires_ms=each.lock_expires_ms,
            )
            for each in info.in_flight
        ],
    )

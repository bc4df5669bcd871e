"""Values that show the share partitions of a group, and their records in flight."""

from collections.abc import Iterable
from typing import NamedTuple

from mockbroker.broker.service import Service
from mockbroker.control.handles.coordinator_lookup import coordinator_id
from mockbroker.protocol.errors import ApiError
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.share.record_state import RecordState
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.state_batch import NO_START_OFFSET
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE, Partition


class InFlightRecords(NamedTuple):
    """Consecutive records of a share partition in the same state."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    state: str
    """`AVAILABLE` (for the next ShareFetch), `ACQUIRED`, `ACKNOWLEDGED`, `ARCHIVING` (until the
    dead-letter queue has them) or `ARCHIVED`."""
    delivery_count: int
    """How often the records were delivered; of acquired ones, this delivery included."""
    member_id: str | None = None
    """The member that has acquired them."""
    lock_expires_ms: int | None = None
    """The time on the cluster's clock at which they are released, in milliseconds since 1970."""


class SharePartitionInfo(NamedTuple):
    """A partition as a share group sees it: a window of records in flight."""

    topic: str
    partition: int
    leader: int
    """The id of the broker that delivers its records."""
    share_coordinator: int
    """The id of the broker that stores its state; -1 if there is none."""
    is_loaded: bool
    """True if the leader has read the state, at a member's first fetch. If not, this is the state
    that it will read: acquired records are `AVAILABLE` there."""
    start_offset: int
    """The first offset of the window; -1 if no leader has decided that yet."""
    end_offset: int
    """The last offset in flight; the start offset if none is."""
    delivery_complete_count: int
    """The number of acknowledged and archived records in the window."""
    in_flight: tuple[InFlightRecords, ...]
    """The records in the window, in the order of their offsets."""


def share_partitions_of(
    service: Service, group: ShareGroup
) -> dict[tuple[str, int], SharePartitionInfo]:
    """Show the share partitions of a group, in the order of topics and partitions."""
    cluster = service.cluster
    shown: dict[tuple[str, int], SharePartitionInfo] = {}
    for name, key in share_partition_keys(cluster, group):
        partition = cluster.partition(name, key.partition)
        if partition is not None:
            shown[name, key.partition] = _shown(service, key, name, partition)
    return shown


def share_partition_keys(
    cluster: ClusterState, group: ShareGroup
) -> list[tuple[str, SharePartitionKey]]:
    """Return the share partitions whose state has begun, with the names of their topics."""
    found: list[tuple[str, SharePartitionKey]] = []
    for topic_id, (_, partitions) in group.known_state.initialized.items():
        topic = cluster.topics.by_id(topic_id)
        if topic is not None:
            keys = (SharePartitionKey(group.group_id, topic_id, each) for each in partitions)
            found += [(topic.name, key) for key in keys]
    return sorted(found, key=lambda each: (each[0], each[1].partition))


def _shown(
    service: Service, key: SharePartitionKey, name: str, partition: Partition
) -> SharePartitionInfo:
    manager = service.share_managers.get(partition.leader_id)
    loaded = None if manager is None else manager.loaded(key.group_id).get(key)
    place = (name, key.partition)
    try:
        coordinator = coordinator_id(service.cluster, SHARE_GROUP_STATE, key.coordinator_key)
    except LookupError:
        coordinator = NO_LEADER
    if loaded is None:
        return _stored(service.cluster, key, (*place, partition.leader_id, coordinator))
    return SharePartitionInfo(
        *place,
        partition.leader_id,
        coordinator,
        True,
        loaded.start_offset,
        loaded.end_offset,
        loaded.delivery_complete_count,
        _joined(_in_flight(*place, loaded)),
    )


def _stored(
    cluster: ClusterState, key: SharePartitionKey, place: tuple[str, int, int, int]
) -> SharePartitionInfo:
    """Show the state that a leader would read."""
    name, index, _, coordinator = place
    try:
        known = coordinator != NO_LEADER
        stored = cluster.share_coordinator(coordinator).summary(key) if known else None
    except ApiError:
        # The coordinator still loads.
        stored = None
    if stored is None:
        return SharePartitionInfo(*place, False, NO_START_OFFSET, NO_START_OFFSET, 0, ())
    batches = stored.state_batches
    return SharePartitionInfo(
        *place,
        False,
        stored.start_offset,
        batches[-1].last_offset if batches else stored.start_offset,
        max(stored.delivery_complete_count, 0),
        tuple(
            InFlightRecords(name, index, first, last, RecordState(state).name, count)
            for first, last, state, count in batches
        ),
    )


def _in_flight(topic: str, partition: int, share: SharePartition) -> Iterable[InFlightRecords]:
    for batch in share.batches:
        for first, last, state in batch.states():
            # Done records before the window stay until their whole batch is done.
            if last < share.start_offset and state.state is not RecordState.ACQUIRED:
                continue
            yield InFlightRecords(
                topic,
                partition,
                first,
                last,
                state.state.name,
                state.delivery_count,
                state.member_id or None,
                None if state.lock is None else state.lock.expires_ms,
            )


def _joined(ranges: Iterable[InFlightRecords]) -> tuple[InFlightRecords, ...]:
    """Join neighbours that differ in their offsets only."""
    joined: list[InFlightRecords] = []
    for each in ranges:
        last = joined[-1] if joined else None
        if last is not None and (last.last_offset + 1, *last[4:]) == (each.first_offset, *each[4:]):
            joined[-1] = last._replace(last_offset=each.last_offset)
        else:
            joined.append(each)
    return tuple(joined)

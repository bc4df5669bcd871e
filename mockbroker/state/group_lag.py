"""Groups of a cluster, and the lag of their members: records after the committed offsets."""

from collections.abc import Iterator, Mapping

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.group import Group
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, NO_LEADER


def groups_of(cluster: ClusterState) -> Iterator[tuple[int, Group]]:
    """Yield every group with the broker that coordinates it."""
    offsets = cluster.topics.by_name.get(CONSUMER_OFFSETS)
    leaders = {each.leader_id for each in offsets.partitions} if offsets is not None else set[int]()
    for broker_id in sorted(leaders - {NO_LEADER}):
        for group in cluster.group_coordinator(broker_id).groups:
            yield broker_id, group


def lag_of(
    cluster: ClusterState, offsets: Mapping[tuple[str, int], int]
) -> dict[tuple[str, int], int]:
    """Return the number of records after each committed offset; deleted topics have none."""
    found: dict[tuple[str, int], int] = {}
    for (name, index), offset in offsets.items():
        topic = cluster.topics.get(name)
        if topic is not None and index < len(topic.partitions):
            log = topic.partitions[index].log
            found[name, index] = max(0, (0 if log is None else log.log_end_offset) - offset)
    return found


def committed_offsets(
    cluster: ClusterState, broker_id: int, group: Group
) -> dict[tuple[str, int], int]:
    """Return the committed offsets of a group, as its coordinator on a broker has them."""
    group_id = group.group_id
    offsets = cluster.group_coordinator(broker_id).offsets_of(group_id).all_committed(group_id)
    return {(each.topic, each.partition): offsets[each].offset for each in sorted(offsets)}

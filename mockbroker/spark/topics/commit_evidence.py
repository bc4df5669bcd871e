"""Evidence about groups: committed offsets beyond the ends of logs.

A log becomes shorter only with a new leader. So it is certain that an offset went beyond it if the
leader epoch in which the log ends is that of the committed record, or the first one.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.audit.runs.run import Run
from mockbroker.audit.words import place_text
from mockbroker.protocol.messages.list_offsets import ListOffsetsPartitionResponse
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.group.group_log_record import OffsetAndMetadata
from mockbroker.wire.cluster import LATEST, TopicIdPartition, WireCluster
from mockbroker.wire.committed_offsets import committed_offsets

_FIRST_LEADER: Final = 0


class CommitsBeyond(NamedTuple):
    """Commits beyond the ends of logs."""

    runs: tuple[Run, ...] = ()
    """Those that are certain."""
    unknown: tuple[str, ...] = ()
    """Sentences about the others."""


NO_COMMITS: Final = CommitsBeyond()


def commits_beyond(cluster: WireCluster, partitions: Iterable[TopicIdPartition]) -> CommitsBeyond:
    """Compare what groups have committed with the present ends of logs.

    Raises:
        WireError: this user may not read the offsets of groups, or no leader answers.

    """
    by_place = {(each.topic, each.partition): each for each in partitions}
    ends: dict[TopicIdPartition, ListOffsetsPartitionResponse] = {}
    runs: list[Run] = []
    unknown: list[str] = []
    for (group, topic, index), value in sorted(committed_offsets(cluster).items()):
        partition = by_place.get((topic, index))
        if partition is None:
            continue
        if partition not in ends:
            ends[partition] = cluster.listed(partition, LATEST)
        end = ends[partition]
        if value.offset <= end.offset:
            continue
        if _is_certain(value, end, partition):
            runs.append(_run(group, value, end, partition))
        else:
            unknown.append(
                f"{place_text((topic, index))}: why group {group!r} has committed offset"
                f" {value.offset}, while the log ends at {end.offset}: it went beyond the log, or"
                " records were truncated"
            )
    return CommitsBeyond(tuple(runs), tuple(unknown))


def _is_certain(
    value: OffsetAndMetadata, end: ListOffsetsPartitionResponse, partition: TopicIdPartition
) -> bool:
    """Return whether the log has lost nothing since an offset was committed."""
    is_same_topic = value.topic_id in {ZERO_UUID, partition.topic_id}
    return is_same_topic and end.leader_epoch in {_FIRST_LEADER, max(value.leader_epoch, 0)}


def _run(
    group: str,
    value: OffsetAndMetadata,
    end: ListOffsetsPartitionResponse,
    partition: TopicIdPartition,
) -> Run:
    return Run(
        *("offset_committed", 0, value.commit_timestamp_ms),
        topic=partition.topic,
        partition=partition.partition,
        base_offset=value.offset,
        log_end_offset=end.offset,
        group=group,
    )

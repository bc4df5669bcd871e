"""Offsets of a log and of its replicas, as positions on the axis of a partition's timeline."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition
from mockbroker.timeline.timeline import CellKind, OffsetLine, TimelineCell, TimelineLane


class HasOffsets(Protocol):
    """Column of a partition's timeline."""

    @property
    def first_offset(self) -> int:
        """First offset of the column."""
        ...

    @property
    def last_offset(self) -> int:
        """Last offset of the column."""
        ...


def position_of(shown: Sequence[HasOffsets], offset: int) -> float | None:
    """Return the position of an offset on the axis; None if it is out of view.

    The offset after the last column is at its right edge.
    """
    if not shown or offset < shown[0].first_offset:
        return None
    for column, each in enumerate(shown):
        if offset <= each.first_offset:
            return float(column)
        if offset <= each.last_offset:
            count = each.last_offset - each.first_offset + 1
            return column + (offset - each.first_offset) / count
    return float(len(shown)) if offset == shown[-1].last_offset + 1 else None


def offset_lines(log: PartitionLog, shown: Sequence[HasOffsets]) -> Iterator[OffsetLine]:
    """Yield the offsets that bound reads and are in view; equal ones share a line."""
    names: dict[int, list[str]] = {}
    for name, offset in (
        ("log start", log.log_start_offset),
        ("last stable offset", log.last_stable_offset),
        ("high watermark", log.high_watermark),
        ("log end", log.log_end_offset),
    ):
        names.setdefault(offset, []).append(name)
    for offset, shared in names.items():
        position = position_of(shown, offset) if shown else 0.0
        if position is not None:
            yield OffsetLine(position, offset, tuple(shared))


def replica_cells(
    partition: Partition, shown: Sequence[HasOffsets], *, lane: int
) -> tuple[list[TimelineCell], list[TimelineLane]]:
    """Return a bar for each replica, up to its log end; none for a partition with one replica.

    A replica that lags is shown with what it has fetched so far.
    """
    cells: list[TimelineCell] = []
    lanes: list[TimelineLane] = []
    if len(partition.replicas) == 1 or partition.log is None:
        return cells, lanes
    for broker_id in partition.replicas:
        lanes.append(TimelineLane(f"broker {broker_id}", _role(partition, broker_id)))
        log = partition.log_at(broker_id)
        if log is None:
            continue
        start = position_of(shown, log.log_start_offset) or 0.0
        end = position_of(shown, log.log_end_offset)
        if end is None:
            is_before = bool(shown) and log.log_end_offset < shown[0].first_offset
            end = 0.0 if is_before else float(len(shown))
        if end > start:
            cells.append(
                TimelineCell(
                    lane=lane + len(lanes) - 1,
                    start=start,
                    width=end - start,
                    kind=CellKind.REPLICA,
                    first=f"up to {log.log_end_offset}",
                    tip=f"broker {broker_id}: log start {log.log_start_offset}, high watermark "
                    f"{log.high_watermark}, log end {log.log_end_offset}",
                )
            )
    return cells, lanes


def _role(partition: Partition, broker_id: int) -> str:
    if broker_id == partition.leader_id:
        return "leader"
    apart = partition.replicas_apart.get(broker_id)
    if apart is not None and not apart.fetches:
        return "in sync, lags" if broker_id in partition.in_sync_replicas else "out of sync"
    return "in sync" if broker_id in partition.in_sync_replicas else "out of sync"

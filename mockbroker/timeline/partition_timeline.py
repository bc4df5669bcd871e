"""Timeline of a partition: batches by producer, markers, offsets that bound reads, replicas.

A view names a range of offsets and a maximum of columns. Its batches are found by binary search and
only those are parsed, whatever the length of the log; runs of batches share a column.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition
from mockbroker.timeline.annotations import Annotations, annotations_of, finding_label
from mockbroker.timeline.batch_index import BatchIndex, BatchRun, overview, window
from mockbroker.timeline.known_transactions import (
    KnownTransactions,
    known_transactions,
    open_notes,
)
from mockbroker.timeline.offset_lines import offset_lines, position_of, replica_cells
from mockbroker.timeline.timeline import (
    Beyond,
    CellKind,
    Timeline,
    TimelineCell,
    TimelineColumn,
    TimelineLane,
    count_text,
    range_text,
)
from mockbroker.timeline.timeline_svg import timeline_svg

COLUMNS_MAX: Final = 60
LANES_MAX: Final = 12
"""Maximum number of lanes of producers; the others share the last one."""
NOTES_MAX: Final = 12
_LOST_MAX: Final = 10
_SIZES: Final = ("bytes", "kB", "MB", "GB")
_STEP: Final = 1000


class OffsetView(NamedTuple):
    """Part of a log that is in view."""

    from_offset: int | None = None
    """First offset; None for an overview of the whole log, which folds most of a long one."""
    to_offset: int | None = None
    """Offset after the last one; None for the log end offset."""
    columns_max: int = COLUMNS_MAX


OVERVIEW: Final = OffsetView()


class ShownBatch(NamedTuple):
    """A column of the view: a batch, or a run of batches with the header of the first one."""

    run: BatchRun
    header: BatchHeader
    first_offset: int
    last_offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class _Source:
    """All that the columns of one partition need."""

    cluster: ClusterState
    partition: Partition
    log: PartitionLog
    known: KnownTransactions
    annotations: Annotations


def partition_timeline(
    cluster: ClusterState,
    partition: Partition,
    view: OffsetView = OVERVIEW,
    *,
    findings: Sequence[Finding] = (),
    known: KnownTransactions | None = None,
) -> Timeline:
    """Lay out what is in view of a partition; `known` is shared by the partitions of a page.

    It changes nothing, and opens no log.
    """
    topic, index = partition.topic_partition
    title = f"{topic}-{index}"
    log = partition.log
    if log is None:
        note = "no record has been written yet"
        return Timeline(title=title, columns=(), lanes=(), cells=(), notes=(note,))
    known = known_transactions(cluster) if known is None else known
    source = _Source(cluster, partition, log, known, annotations_of(findings))
    batches = BatchIndex(log)
    shown = [_shown(batches, run) for run in _runs(source, batches, view)]
    lanes, lane_of = _lanes(source, shown)
    cells = [_cell(source, each, column, lane_of, len(lanes)) for column, each in enumerate(shown)]
    columns = list(_columns(source, shown))
    lost, lost_columns = _lost(source, shown, lane=len(lanes))
    lanes += [TimelineLane("removed records", "by findings")] if lost else []
    columns += lost_columns
    replicas, replica_lanes = replica_cells(partition, shown, lane=len(lanes))
    notes = list(open_notes(log, known))
    more = len(notes) - NOTES_MAX
    return Timeline(
        title=f"{title} · leader {partition.leader_id}, leader epoch {partition.leader_epoch}",
        columns=tuple(columns),
        lanes=(*lanes, *replica_lanes),
        cells=(*cells, *lost, *replicas),
        lines=tuple(offset_lines(log, shown)),
        notes=(*notes[:NOTES_MAX], *([f"and {more} more open transactions"] if more > 0 else [])),
        beyond=_beyond(batches, shown),
        wall_clock="client clock",
    )


def partition_svg(
    cluster: ClusterState,
    partition: Partition,
    from_offset: int | None = None,
    to_offset: int | None = None,
) -> str:
    """Draw a partition as SVG: an overview, or a range of offsets."""
    view = OffsetView(from_offset, to_offset)
    return timeline_svg(partition_timeline(cluster, partition, view))


def _runs(source: _Source, batches: BatchIndex, view: OffsetView) -> list[BatchRun]:
    log = source.log
    if view.from_offset is None and view.to_offset is None:
        found = [
            offset
            for topic, index, offset in source.annotations.findings
            if (topic, index) == source.partition.topic_partition
        ]
        focus = [log.last_stable_offset, log.high_watermark, *found]
        return overview(batches, focus, view.columns_max)
    start = max(view.from_offset or 0, log.log_start_offset)
    to_offset = log.log_end_offset if view.to_offset is None else view.to_offset
    return window(batches, start, min(to_offset, log.log_end_offset), view.columns_max)


def _shown(batches: BatchIndex, run: BatchRun) -> ShownBatch:
    header = parse_batch_header(batches.data(run.first))
    first = header.base_offset
    if run.batches == 1:
        return ShownBatch(run, header, first, header.last_offset, header.size_bytes)
    end = batches.base_offset(run.end)
    return ShownBatch(run, header, first, end - 1, batches.size_bytes(run))


def _beyond(batches: BatchIndex, shown: Sequence[ShownBatch]) -> Beyond:
    if not shown:
        return Beyond()
    return Beyond(shown[0].run.first, len(batches) - shown[-1].run.end)


# Lanes.


def _lanes(
    source: _Source, shown: Sequence[ShownBatch]
) -> tuple[list[TimelineLane], dict[int, int]]:
    """Return a lane for each producer in view, and the lane of each producer id."""
    ids = dict.fromkeys(each.header.producer_id for each in shown if each.run.batches == 1)
    own = list(ids) if len(ids) <= LANES_MAX else list(ids)[: LANES_MAX - 1]
    lanes = [_lane(source, producer_id) for producer_id in own]
    if len(own) < len(ids):
        lanes.append(TimelineLane(count_text(len(ids) - len(own), "more producer")))
    if not lanes and shown:
        lanes.append(TimelineLane("batches"))
    return lanes, {each: min(lane, LANES_MAX - 1) for lane, each in enumerate(ids)}


def _lane(source: _Source, producer_id: int) -> TimelineLane:
    if producer_id < 0:
        return TimelineLane("no producer id", "not idempotent")
    name = source.known.transactional_ids.get(producer_id, "")
    return TimelineLane(f"producer {producer_id}", name)


# Columns and cells.


def _columns(source: _Source, shown: Sequence[ShownBatch]) -> Iterator[TimelineColumn]:
    end = shown[0].first_offset if shown else 0
    for each in shown:
        header = each.header
        client_ms = None if header.max_timestamp < 0 else header.max_timestamp
        shifts = source.log.timestamp_shifts
        shift_ms = 0 if header.is_control else shifts.at(each.first_offset)
        yield TimelineColumn(
            title=range_text(each.first_offset, each.last_offset),
            cluster_time_ms=None if client_ms is None else client_ms + shift_ms,
            wall_time_ms=client_ms,
            is_evidence=_found(source, each) is not None,
            is_cut=each.first_offset > end,
        )
        end = each.last_offset + 1


def _found(source: _Source, each: ShownBatch) -> Finding | None:
    place = source.partition.topic_partition
    return source.annotations.found_at(*place, each.first_offset, each.last_offset)


def _cell(
    source: _Source, each: ShownBatch, column: int, lane_of: dict[int, int], lanes: int
) -> TimelineCell:
    offsets = range_text(each.first_offset, each.last_offset)
    header = each.header
    found = _found(source, each)
    if each.run.batches > 1:
        first = count_text(each.run.batches, "batch", "batches")
        size = _size(each.size_bytes)
        return TimelineCell(
            0, column, CellKind.FOLDED, first, size, f"{first} at offsets {offsets}, {size}",
            lanes=max(lanes, 1), is_evidence=found is not None,
            first_offset=each.first_offset, last_offset=each.last_offset,
        )  # fmt: skip
    kind = _kind(source, header)
    outcome = _outcome(source, header, kind)
    second = outcome if found is None else finding_label(found, kind.value)
    return TimelineCell(
        lane=lane_of[header.producer_id],
        start=column,
        kind=kind,
        first=_content(header, kind),
        second=second,
        tip=_tip(header, each, outcome, found),
        is_evidence=found is not None,
        first_offset=each.first_offset,
        last_offset=each.last_offset,
    )


def _kind(source: _Source, header: BatchHeader) -> CellKind:
    """Return the kind of a batch, by what the leader lets readers see of it."""
    if header.is_control:
        data = source.log.segments.batch_of(header.base_offset)
        marker = source.cluster.records.read_end_txn_marker(data)
        return CellKind.COMMIT if marker is not None and marker.is_commit else CellKind.ABORT
    if not header.is_transactional:
        return CellKind.BATCH
    offset = header.base_offset
    entry = source.log.producers.last_entry(header.producer_id)
    if entry is not None and 0 <= entry.current_txn_first_offset <= offset:
        return CellKind.OPEN
    aborted = source.log.aborted_transactions(offset, offset + 1)
    if any(
        each.producer_id == header.producer_id and each.first_offset <= offset <= each.last_offset
        for each in aborted
    ):
        return CellKind.ABORTED
    return CellKind.COMMITTED


def _content(header: BatchHeader, kind: CellKind) -> str:
    if kind in {CellKind.COMMIT, CellKind.ABORT}:
        return kind.name
    if header.base_sequence < 0:
        return count_text(header.record_count, "record")
    return f"seq {range_text(header.base_sequence, header.last_sequence)}"


def _outcome(source: _Source, header: BatchHeader, kind: CellKind) -> str:
    producer_epoch = "" if header.producer_id < 0 else f"epoch {header.producer_epoch}"
    place = source.partition.topic_partition
    match kind:
        case CellKind.COMMITTED | CellKind.ABORTED:
            return f"{kind.value} · {producer_epoch}"
        case CellKind.OPEN:
            hangs = source.known.is_hanging(header.producer_id, place)
            return f"{'HANGING' if hangs else 'open'} · {producer_epoch}"
        case _:
            return producer_epoch


def _tip(header: BatchHeader, each: ShownBatch, outcome: str, found: Finding | None) -> str:
    offsets = range_text(each.first_offset, each.last_offset)
    parts = [
        f"offsets {offsets}: {count_text(header.record_count, 'record')}, {_size(each.size_bytes)}",
        f"leader epoch {header.partition_leader_epoch}",
        "" if header.producer_id < 0 else f"producer {header.producer_id}",
        outcome,
        "" if found is None else found.text,
    ]
    return "\n".join(filter(None, parts))


def _size(size_bytes: int) -> str:
    size, step = float(size_bytes), 0
    while size >= _STEP and step < len(_SIZES) - 1:
        size, step = size / _STEP, step + 1
    return f"{size:.1f} {_SIZES[step]}" if step else f"{size_bytes} bytes"


# Removed records.


def _lost(
    source: _Source, shown: Sequence[ShownBatch], *, lane: int
) -> tuple[list[TimelineCell], list[TimelineColumn]]:
    """Return the batches that findings say were in the log, and a column for each beyond its end.

    Of several that were in a column, the first is drawn.
    """
    cells: list[TimelineCell] = []
    columns: list[TimelineColumn] = []
    taken: set[int] = set()
    for each in _lost_batches(source):
        first, last = each.first_offset or 0, each.last_offset or each.first_offset or 0
        offsets = range_text(first, last)
        found = position_of(shown, first)
        column = len(shown) + len(columns) if found is None else int(found)
        if column in taken:
            continue
        if found is None or column >= len(shown):
            columns.append(TimelineColumn(offsets, each.virtual_time_ms, None, is_evidence=True))
        taken.add(column)
        cells.append(
            TimelineCell(
                lane, column, CellKind.REMOVED, "LOST", f"{offsets} · {each.producer_id}",
                each.text, is_evidence=True, first_offset=first, last_offset=last,
            )
        )  # fmt: skip
    return cells, columns


def _lost_batches(source: _Source) -> list[Finding]:
    lost = source.annotations.lost.get(source.partition.topic_partition, ())
    return sorted(lost, key=lambda each: each.first_offset or 0)[:_LOST_MAX]

"""Timeline of a transactional id: its states, its requests, its partitions, what it waits for.

The events come from a journal, and what it waits for from its coordinator. Without a journal there
is only the latter.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from mockbroker.journal.entry import Entry
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.transaction.transaction_metadata import NO_TIMEOUT_MS, TransactionMetadata
from mockbroker.state.transaction.transaction_state import PREPARED, TransactionState
from mockbroker.timeline.entry_cell import entry_cell, moment_column
from mockbroker.timeline.timeline import (
    Beyond,
    CellKind,
    Timeline,
    TimelineCell,
    TimelineColumn,
    TimelineLane,
    count_text,
)
from mockbroker.timeline.timeline_svg import timeline_svg

EVENTS_MAX: Final = 60
"""Maximum number of events in a view: the last ones."""
LANES_MAX: Final = 16
_NAMES_MAX: Final = 5
_STATE: Final = "state"
_CALLS: Final = frozenset({"answer", "lost", "held"})
_IN_LOGS: Final = frozenset({"append", "marker"})


def transaction_timeline(
    cluster: ClusterState,
    transactional_id: str,
    entries: Sequence[Entry] = (),
    *,
    events_max: int = EVENTS_MAX,
) -> Timeline:
    """Lay out the last events of a transactional id, of those in the entries of a journal."""
    metadata = _metadata(cluster, transactional_id)
    producer_ids = {
        entry.producer_id
        for entry in entries
        if entry.kind == "transaction" and entry.transactional_id == transactional_id
    }
    if metadata is not None:
        producer_ids |= {metadata.producer_id, metadata.previous_producer_id}
    concerned = [each for each in entries if _concerns(each, transactional_id, producer_ids - {-1})]
    shown = concerned[-events_max:] if events_max else []
    is_cut = len(shown) < len(concerned)
    lanes = _lanes(shown)
    columns, cells = _events(shown, lanes)
    return Timeline(
        title=f"transactional id {transactional_id}",
        columns=tuple(columns),
        lanes=tuple(TimelineLane(name) for name in lanes),
        cells=(
            *_states(shown, cells, len(columns), is_cut=is_cut),
            *(cell for cell in cells if cell.kind is not CellKind.STATE),
        ),
        notes=tuple(_notes(cluster, transactional_id, metadata)),
        beyond=Beyond(len(concerned) - len(shown), 0),
    )


def transaction_svg(
    cluster: ClusterState, transactional_id: str, entries: Sequence[Entry] = ()
) -> str:
    """Draw a transactional id as SVG."""
    return timeline_svg(transaction_timeline(cluster, transactional_id, entries))


def _metadata(cluster: ClusterState, transactional_id: str) -> TransactionMetadata | None:
    for coordinator in map(cluster.transaction_coordinator, cluster.brokers):
        found = coordinator.states.find(transactional_id)
        if found is not None:
            return found.metadata
    return None


def _concerns(entry: Entry, transactional_id: str, producer_ids: set[int | None]) -> bool:
    if entry.kind in _IN_LOGS:
        return entry.producer_id in producer_ids and bool(
            entry.is_transactional or entry.kind == "marker"
        )
    is_named = entry.transactional_id == transactional_id
    return is_named and (entry.kind == "transaction" or entry.kind in _CALLS)


# Lanes, columns and cells.


def _lanes(shown: Sequence[Entry]) -> dict[str, int]:
    """Number the lanes: the states, the clients, and then the partitions."""
    names = {_lane(entry): entry.kind in _IN_LOGS for entry in shown}
    ordered = sorted(names, key=lambda name: (name != _STATE, names[name], name))
    if len(ordered) > LANES_MAX:
        ordered[LANES_MAX - 1 :] = [count_text(len(ordered) - LANES_MAX + 1, "more lane")]
    return {name: number for number, name in enumerate(ordered)}


def _lane(entry: Entry) -> str:
    if entry.kind == "transaction":
        return _STATE
    if entry.kind in _IN_LOGS:
        return f"{entry.topic}-{entry.partition}"
    return f"client {entry.client_id}"


def _events(
    shown: Sequence[Entry], lanes: dict[str, int]
) -> tuple[list[TimelineColumn], list[TimelineCell]]:
    columns: list[TimelineColumn] = []
    cells: list[TimelineCell] = []
    taken: set[tuple[int, int]] = set()
    last_seq: int | None = None
    for entry in shown:
        lane = lanes.get(_lane(entry), len(lanes) - 1)
        if entry.seq != last_seq or (len(columns) - 1, lane) in taken:
            columns.append(moment_column(entry))
        last_seq = entry.seq
        taken.add((len(columns) - 1, lane))
        cells.append(entry_cell(entry, len(columns) - 1, lane))
    return columns, cells


def _states(
    shown: Sequence[Entry], cells: Sequence[TimelineCell], columns: int, *, is_cut: bool
) -> Iterator[TimelineCell]:
    """Stretch the cells of states up to the next one; the first begins where the view begins."""
    pairs = zip(shown, cells, strict=True)
    changes = [(entry, cell) for entry, cell in pairs if cell.kind is CellKind.STATE]
    if not changes:
        return
    if is_cut and changes[0][1].start > 0 and changes[0][0].state_before:
        entry, cell = changes[0]
        yield cell._replace(
            start=0,
            width=cell.start,
            first=str(entry.state_before),
            second="",
            tip=f"{entry.state_before}, from before the first event of the view",
            seq=None,
        )
    ends = [cell.start for _, cell in changes[1:]] + [float(columns)]
    for (entry, cell), end in zip(changes, ends, strict=True):
        owner = f"producer {entry.producer_id} · epoch {entry.producer_epoch}"
        yield cell._replace(width=end - cell.start, second=owner if entry.state_after else "")


# What it waits for.


def _notes(
    cluster: ClusterState, transactional_id: str, metadata: TransactionMetadata | None
) -> Iterator[str]:
    if metadata is None:
        yield "no coordinator knows it"
        return
    yield (
        f"{metadata.state.state_name}, held by producer {metadata.producer_id},"
        f" epoch {metadata.producer_epoch}"
    )
    if metadata.state is TransactionState.ONGOING:
        yield f"open in {_partitions(metadata) or 'no partition'}; {_deadline(metadata)}"
    elif metadata.state in PREPARED:
        yield from _waits(cluster, transactional_id, metadata)
    elif metadata.pending_state is not None:
        yield f"waits for {metadata.pending_state.state_name} to be written to the log"


def _waits(
    cluster: ClusterState, transactional_id: str, metadata: TransactionMetadata
) -> Iterator[str]:
    markers = _partitions(metadata)
    yield f"waits for the markers in {markers}" if markers else "waits for its completion record"
    if transactional_id in cluster.held_endings:
        yield f"held: cluster.transaction({transactional_id!r}).step() or .release() goes on"


def _partitions(metadata: TransactionMetadata) -> str:
    named = [f"{each.topic}-{each.partition}" for each in sorted(metadata.partitions)]
    more = [f"{len(named) - _NAMES_MAX} more"] if len(named) > _NAMES_MAX else []
    return ", ".join(named[:_NAMES_MAX] + more)


def _deadline(metadata: TransactionMetadata) -> str:
    if metadata.timeout_ms == NO_TIMEOUT_MS or metadata.start_timestamp_ms < 0:
        return "it never times out"
    at_ms = metadata.start_timestamp_ms + metadata.timeout_ms
    at = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"its client ends it, or it times out at {at} by the cluster's clock"

"""Pictures over HTTP: timelines as SVG, of what is in view."""

from typing import Final

from mockbroker.broker.stored_records import partitions_of
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.endpoints.partition_endpoints import partition_of
from mockbroker.http.live.view_endpoints import last_entries
from mockbroker.http.problem import Problem
from mockbroker.timeline.partition_timeline import COLUMNS_MAX, OffsetView, partition_timeline
from mockbroker.timeline.timeline import Timeline
from mockbroker.timeline.timeline_svg import timeline_svg
from mockbroker.timeline.transaction_timeline import transaction_timeline

PICTURES: Final = Endpoints()
ENTRIES: Final = 5_000
"""Entries of the journal, the newest, of which the timeline of a transactional id is made."""
_COLUMNS: Final = range(1, COLUMNS_MAX + 1)


class PictureQuery(Document, rename={"from_offset": "from", "to_offset": "to"}):
    """Offsets in view; default: the whole log, in which runs of batches share a column."""

    from_offset: int | None = None
    to_offset: int | None = None
    """The offset after the last one."""
    columns: int = 24
    """Maximum number of columns."""


class PictureView(View):
    """A timeline as SVG, for a page with the style sheet of timelines."""

    svg: str
    first_offset: int | None
    """First offset in view; `null` for an empty log."""
    end_offset: int | None
    """The offset after the last one in view."""
    before: int
    """Number of batches before the view."""
    after: int
    """Number of batches after the view."""
    is_recorded: bool
    """False if the journal is off, and the picture is made of events."""
    notes: list[str]
    """Sentences below the lanes, such as what a transaction waits for."""


@PICTURES.add(
    "GET",
    "/pictures/topics/{topic}/partitions/{partition}",
    reads=PictureQuery,
    answers=PictureView,
)
def draw_partition(request: ApiRequest[PictureQuery]) -> PictureView:
    """Draw a partition: batches by producer, markers, replicas, and offsets that bound reads."""
    document, handle = request.document, partition_of(request)
    if document.columns not in _COLUMNS:
        allowed = f"allowed are 1 to {COLUMNS_MAX}"
        raise Problem("invalid", f"columns {document.columns}: {allowed}", path="$.columns")
    view = OffsetView(document.from_offset, document.to_offset, document.columns)
    topic, index = handle.topic, handle.index
    return picture_view(
        request.cluster.look(
            lambda state, _now_ms: partition_timeline(
                state, partitions_of(state, topic, index)[0], view
            )
        )
    )


@PICTURES.add(
    "GET", "/pictures/transactions/{transactional_id}", reads=Nothing, answers=PictureView
)
def draw_transaction(request: ApiRequest[Nothing]) -> PictureView:
    """Draw a transactional id: its states over time, its partitions, and what it waits for."""
    name, entries = request.names["transactional_id"], last_entries(request, ENTRIES)
    timeline = request.cluster.look(
        lambda state, _now_ms: transaction_timeline(state, name, entries)
    )
    return picture_view(timeline, is_recorded=request.cluster.journal.is_on)


def picture_view(timeline: Timeline, *, is_recorded: bool = True) -> PictureView:
    """Draw a timeline for a page."""
    cells = [cell for cell in timeline.cells if cell.first_offset is not None]
    firsts = [cell.first_offset for cell in cells if cell.first_offset is not None]
    lasts = [cell.last_offset for cell in cells if cell.last_offset is not None]
    return PictureView(
        svg=timeline_svg(timeline, is_standalone=False),
        first_offset=min(firsts, default=None),
        end_offset=max(lasts) + 1 if lasts else None,
        before=timeline.beyond.before,
        after=timeline.beyond.after,
        is_recorded=is_recorded,
        notes=list(timeline.notes),
    )

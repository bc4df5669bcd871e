"""The clock over HTTP."""

from typing import Final

import msgspec

from mockbroker.control.due_events import Kind
from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.tagged import DurationField
from mockbroker.http.documents.cluster_view import ClockView, clock_view, moment_text
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.settings.duration import duration_text, milliseconds

CLOCK: Final = Endpoints()


class AdvanceDocument(Document, kw_only=True):
    """The time to advance the clock by."""

    by: DurationField
    keep_sessions: bool = True
    """Move the session deadlines of group members too, because members live in real time."""


class ClockDocument(Document):
    """New time of the clock, and whether it is frozen."""

    now: str | int | None = None
    """Time in ISO 8601, or in milliseconds since 1970; the clock cannot go back."""
    frozen: bool | None = None
    """True to stop the clock between jumps."""
    keep_sessions: bool = True


class DueEventView(View):
    """A timeout, an expiry, or a deletion by retention."""

    at_ms: int
    kind: Kind
    facts: dict[str, str | int]


class PassedView(View):
    """Result of a jump of the clock."""

    now_ms: int
    now: str | None
    done: list[str]
    """Timers that fired and the pending work they caused, in order."""
    transactional_ids: list[str]
    """The transactional ids that expired."""
    due_events: list[DueEventView] = msgspec.field(name="fell_due")
    """Timeouts, expiries and deletions by retention, in order."""


@CLOCK.add("GET", "/clock", reads=Nothing, answers=ClockView)
def get_clock(request: ApiRequest[Nothing]) -> ClockView:
    """Show the clock of the cluster's state."""
    return clock_view(request.cluster.clock)


@CLOCK.add("PUT", "/clock", reads=ClockDocument, answers=ClockView)
async def put_clock(request: ApiRequest[ClockDocument]) -> ClockView:
    """Advance the clock to a time, freeze it, or resume it."""
    clock, document = request.cluster.clock, request.document
    if document.now is not None:
        await request.cluster.aio.run(clock.set, document.now, keep_sessions=document.keep_sessions)
    if document.frozen is not None:
        _ = clock.freeze() if document.frozen else clock.resume()
    return clock_view(clock)


@CLOCK.add("POST", "/clock/advance", reads=AdvanceDocument, answers=PassedView)
async def advance_clock(request: ApiRequest[AdvanceDocument]) -> PassedView:
    """Advance the clock by at most 3650d, and run every timer up to the new time, in order."""
    document = request.document
    by = duration_text(milliseconds(document.by))
    passed = await request.cluster.aio.advance(by, keep_sessions=document.keep_sessions)
    return PassedView(
        now_ms=passed.now_ms,
        now=moment_text(passed.now_ms),
        done=list(passed.done),
        transactional_ids=list(passed.transactional_ids),
        due_events=[
            DueEventView(at_ms=each.at_ms, kind=each.kind, facts=dict(each.facts))
            for each in passed.due_events
        ],
    )

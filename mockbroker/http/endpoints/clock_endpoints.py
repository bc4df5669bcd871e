"""The clock over HTTP."""

from typing import Final

import msgspec

from mockbroker.control.due_events import Kind
from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.tagged import Duration
from mockbroker.http.documents.cluster_view import ClockView, clock_view, moment_text
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing

CLOCK: Final = Endpoints()


class AdvanceDocument(Document, kw_only=True):
    """How much time passes."""

    by: Duration
    keep_sessions: bool = True
    """Let the deadlines of group members move along: they live in real time."""


class ClockDocument(Document):
    """What time it is to be, and whether it passes by itself."""

    now: str | int | None = None
    """A moment in ISO 8601, or in milliseconds since 1970; time does not go back."""
    frozen: bool | None = None
    """Whether time stands still between jumps."""
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
    """The timers that ran and the work that they left, in order."""
    transactional_ids: list[str]
    """The transactional ids that expired."""
    due_events: list[DueEventView] = msgspec.field(name="fell_due")
    """Timeouts, expiries and deletions by retention, in order."""


@CLOCK.add("GET", "/clock", reads=Nothing, answers=ClockView)
def get_clock(asked: ApiRequest[Nothing]) -> ClockView:
    """Show the clock of the cluster's state."""
    return clock_view(asked.cluster.clock)


@CLOCK.add("PUT", "/clock", reads=ClockDocument, answers=ClockView)
def put_clock(asked: ApiRequest[ClockDocument]) -> ClockView:
    """Let time pass until a moment, stand still, or go on."""
    clock, said = asked.cluster.clock, asked.said
    if said.now is not None:
        clock.set(said.now, keep_sessions=said.keep_sessions)
    if said.frozen is not None:
        _ = clock.freeze() if said.frozen else clock.resume()
    return clock_view(clock)


@CLOCK.add("POST", "/clock/advance", reads=AdvanceDocument, answers=PassedView)
def advance_clock(asked: ApiRequest[AdvanceDocument]) -> PassedView:
    """Move the clock ahead, and run every timer up to its new time, in order."""
    said = asked.said
    passed = asked.cluster.clock.advance(said.by, keep_sessions=said.keep_sessions)
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

"""A fault in responses: its document and its counters."""

from typing import Any

from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.documents.fault_document import document_of, is_expressible
from mockbroker.faults.documents.strict import View
from mockbroker.faults.fault import Fault
from mockbroker.faults.selectors import Match


class NearestView(View):
    """The call or the connection that came closest to a fault without matching it."""

    api: str | None
    version: int | None
    connection: int
    client_id: str | None
    miss: str
    """The selector that did not match, and why."""


class FaultView(View):
    """One fault and its counters."""

    id: str
    match: Match
    trigger: dict[str, Any]
    effect: dict[str, Any] | None
    """`null` before an effect was chosen in Python."""
    expressible: bool
    """True if the document is complete: JSON has no form for a Python predicate."""
    python: str
    """The fault in Python's notation."""
    calls: int
    """Number of calls, or connections, that matched."""
    hits: int
    """Number of them at which it fired."""
    touched_bytes: int
    """Number of bytes of connections that its toxic affected."""
    held: int
    """Number of calls that it holds now."""
    released: int
    """Number of calls that it has held and released."""
    is_over: bool
    """True if it can fire no more."""
    error: str | None
    """The error in the answer to the last held call."""
    warning: str | None
    """Warning about an error that no Kafka broker sends there."""
    nearest: NearestView | None
    story: str
    """All of these fields in a sentence."""


class FaultsView(View):
    """All faults in the order of their creation: the first is the outermost."""

    faults: list[FaultView]


class RulesView(View):
    """All faults, under the former name of the field."""

    rules: list[FaultView]


def fault_view(fault: Fault) -> FaultView:
    """Show a fault."""
    state = fault.state
    document = document_of(state)
    return FaultView(
        id=state.name,
        match=state.selectors.match,
        trigger=state.trigger.as_json(),
        effect=None if document is None else document.effect,
        expressible=is_expressible(state),
        python=str(state),
        calls=state.calls,
        hits=state.hits,
        touched_bytes=state.touched_bytes,
        held=len(state.held),
        released=state.released,
        is_over=state.is_over,
        error=None if state.last_error is None else state.last_error.name,
        warning=state.warning,
        nearest=_nearest(fault),
        story=fault.story(),
    )


def _nearest(fault: Fault) -> NearestView | None:
    if fault.state.nearest is None:
        return None
    miss, facts = fault.state.nearest
    call = facts if isinstance(facts, CallFacts) else None
    return NearestView(
        api=None if call is None else call.api.title,
        version=None if call is None else call.version,
        connection=facts.connection,
        client_id=facts.client_id,
        miss=str(miss),
    )

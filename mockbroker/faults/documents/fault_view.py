"""A fault in responses: its document and its counters."""

from typing import Any

from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.documents.fault_document import document_of, is_expressible
from mockbroker.faults.documents.strict import View
from mockbroker.faults.fault import Fault
from mockbroker.faults.selectors import Match


class NearestView(View):
    """The call, or the connection, that came closest to a fault without matching it."""

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
    """`null` before an effect was chosen, in Python."""
    expressible: bool
    """Whether the document has all of it: JSON has no form for a predicate of Python's."""
    python: str
    """The fault as Python makes it."""
    calls: int
    """How many calls matched, or connections."""
    hits: int
    """At how many of them it fired."""
    touched_bytes: int
    """How many bytes of connections its toxic did something to."""
    held: int
    """How many calls it holds now."""
    released: int
    """How many calls it held and does not any more."""
    is_over: bool
    """Whether it can fire no more."""
    error: str | None
    """The error in the answer to the last held call."""
    warning: str | None
    """What is probably not meant: an error that no Kafka broker sends there."""
    nearest: NearestView | None
    story: str
    """All of that in a sentence."""


class FaultsView(View):
    """All faults in the order in which they were made: the first is the outermost."""

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

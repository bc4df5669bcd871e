"""State of faults in a line, in fields, and as a table of HTML."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from mockbroker.faults.fault_state import FaultState

_COLUMNS: Final = ("name", "selectors", "effect", "trigger", "state", "calls", "hits", "held")


def standing(state: FaultState) -> str:
    """Return whether a fault can fire: it is active, over, removed or without an effect."""
    if state not in state.plan.faults:
        return "removed"
    if state.does is None:
        return "no effect"
    return "over" if state.is_over else "active"


def line_of(state: FaultState) -> str:
    """Return a fault as Python makes it, with its state and its counters."""
    held = f", {len(state.held)} held" if state.held else ""
    return f"{state}, {standing(state)}, {state.calls} calls, {state.hits} hits{held}"


def fields_of(state: FaultState) -> Mapping[str, object]:
    """Return the fields of a fault that people look at."""
    values = (
        state.name,
        str(state.selectors),
        "" if state.does is None else str(state.does),
        str(state.trigger),
        standing(state),
        state.calls,
        state.hits,
        len(state.held),
    )
    return dict(zip(_COLUMNS, values, strict=True))


def html_table(states: Iterable[FaultState]) -> str:
    """Return a table of faults for a notebook; texts are escaped."""
    return "".join(_table(states))


def _table(states: Iterable[FaultState]) -> Iterator[str]:
    yield "<table><thead><tr>"
    yield from (f"<th>{name}</th>" for name in _COLUMNS)
    yield "</tr></thead><tbody>"
    for state in states:
        yield "<tr>"
        yield from (f"<td>{escape(str(value))}</td>" for value in fields_of(state).values())
        yield "</tr>"
    yield "</tbody></table>"

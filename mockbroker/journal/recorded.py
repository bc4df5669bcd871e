"""Events as memory and files store them, until their entries are requested."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.events.event_types import CallId, Event
from mockbroker.protocol.errors import ErrorCode

Facts: TypeAlias = Mapping[str, object]
"""Values by the names of columns."""

NO_FACTS: Final[Facts] = {}


class Asked(NamedTuple):
    """A request without its buffers: the fields of its items."""

    call: CallId
    items: Sequence[Facts]


class Answered(NamedTuple):
    """A response without its buffers: the fields of its items."""

    call: CallId
    items: Sequence[Facts]


class Lost(NamedTuple):
    """A call without a response, with the items of its request."""

    call: CallId
    items: Sequence[Facts]
    how: str
    reason: str


class Struck(NamedTuple):
    """The fault that fired on a call."""

    rule: str
    effect: str
    applied: str


class Recorded(NamedTuple):
    """An event, with its number and time."""

    seq: int
    """The `seq` of its first entry."""
    wall_time_us: int
    virtual_time_ms: int
    serving: CallId | None
    """Id of the call that caused the event."""
    struck: Struck | None
    """The fault that fired on the call."""
    event: "Event | Reduced"


Reduced: TypeAlias = Asked | Answered | Lost
"""Stored form of an event that refers to buffers."""


def error_of(code: object) -> ErrorCode:
    """Convert an error code; an unknown one is UNKNOWN_SERVER_ERROR."""
    assert isinstance(code, int)
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR

"""Events as memory and files store them, until somebody wants their entries."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.events.event_types import CallId, Event
from mockbroker.protocol.errors import ErrorCode

Facts: TypeAlias = Mapping[str, object]
"""Values by the names of columns."""

NO_FACTS: Final[Facts] = {}


class Asked(NamedTuple):
    """A request without its buffers: its items, as facts."""

    call: CallId
    items: Sequence[Facts]


class Answered(NamedTuple):
    """An answer without its buffers, likewise."""

    call: CallId
    items: Sequence[Facts]


class Lost(NamedTuple):
    """An answer that nobody gets, with the items of its request."""

    call: CallId
    items: Sequence[Facts]
    how: str
    reason: str


class Struck(NamedTuple):
    """Which fault has struck a call."""

    rule: str
    effect: str
    applied: str


class Recorded(NamedTuple):
    """An event, and when it happened."""

    seq: int
    """Of its first entry."""
    wall_time_us: int
    virtual_time_ms: int
    serving: CallId | None
    """The call of which it was done."""
    struck: Struck | None
    """The fault that the call has met."""
    event: "Event | Reduced"


Reduced: TypeAlias = Asked | Answered | Lost
"""What is stored in the place of an event that refers to buffers."""


def error_of(code: object) -> ErrorCode:
    """Name an error code; one that Kafka does not know is UNKNOWN_SERVER_ERROR."""
    assert isinstance(code, int)
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR

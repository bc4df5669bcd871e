"""Events as memory and files store them, until their entries are requested."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.events.event_types import BatchProduced, CallId, Event
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.events import BatchAppended

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


class IdentifiedBatch(NamedTuple):
    """A batch that was appended, with the identities of its records."""

    event: BatchAppended | BatchProduced
    record_ids: Sequence[str | None]
    """One for each record, in order of offsets; None for a record without one."""


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


Reduced: TypeAlias = Asked | Answered | IdentifiedBatch | Lost
"""Stored form of an event that refers to buffers, or to records in a log."""


def error_of(code: object) -> ErrorCode:
    """Convert an error code; an unknown one is UNKNOWN_SERVER_ERROR."""
    assert isinstance(code, int)
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR

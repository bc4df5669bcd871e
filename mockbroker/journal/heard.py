"""What a recorder keeps of a event, until somebody wants its entries."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.events.event_types import BatchProduced, CallId, Event
from mockbroker.protocol.errors import ErrorCode

Facts: TypeAlias = Mapping[str, object]
"""Values by the names of columns."""

NO_FACTS: Final[Facts] = {}


class Asked(NamedTuple):
    """A request whose buffers are not to be kept: its items, as facts."""

    call: CallId
    items: Sequence[Facts]


class Answered(NamedTuple):
    """An answer whose buffers are not to be kept, likewise."""

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


class Heard(NamedTuple):
    """Something that happened, and when."""

    seq: int
    """Of its first entry."""
    wall_time_us: int
    virtual_time_ms: int
    serving: CallId | None
    """The call of which it was done."""
    struck: Struck | None
    """The fault that the call has met."""
    event: "Event | Kept"


Kept: TypeAlias = Asked | Answered | Lost
"""What takes the place of a event that is not to be kept."""


def entries_of(event: Event | Kept) -> int:
    """Count the entries that something makes; the rows of one entry count once."""
    if type(event) is BatchProduced:
        return 3 if event.sender.acks else 2
    return 1


def error_of(code: object) -> ErrorCode:
    """Name an error code; one that Kafka does not know is UNKNOWN_SERVER_ERROR."""
    assert isinstance(code, int)
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR

"""Outcome of a produced batch: the result of the append, and the response."""

from enum import IntEnum


class Appended(IntEnum):
    """Result of the append of a batch."""

    NO = 0
    YES = 1
    RETRY = 2
    """A retry of a batch that the log remembers."""


class ResponseOutcome(IntEnum):
    """Response to the client."""

    NONE_YET = 0
    GIVEN = 1
    """Passed to the transport, with an error code, which may be NONE."""
    LOST = 2
    """Never sent: a fault dropped it, or the connection was gone."""
    UNWANTED = 3
    """The client requested no response (acks=0)."""

"""What came of a batch that a client sent: what the log did, and what the client was told."""

from enum import IntEnum


class Appended(IntEnum):
    """What the log did with a batch."""

    NO = 0
    YES = 1
    RETRY = 2
    """It was found to be a retry of a batch that the log remembers."""


class Answer(IntEnum):
    """What the client was told."""

    NONE_YET = 0
    GIVEN = 1
    """It was handed to the transport: with an error code, which may be NONE."""
    LOST = 2
    """None will come: a fault lost it, or its connection was gone."""
    UNWANTED = 3
    """The client asked for none (acks=0)."""

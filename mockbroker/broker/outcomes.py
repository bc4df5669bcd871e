"""Results of a request besides a message: encoded parts, closed connection."""

from typing import Final, TypeAlias

from mockbroker.protocol.types import Buffer

Parts: TypeAlias = list[Buffer]
"""Encoded response in parts, including its size and header."""

JOIN_BELOW_BYTES: Final = 4 * 1024
"""Mean buffer size below which copying the buffers into one is faster than writing each."""


class CloseConnection(Exception):  # noqa: N818 - an outcome, not always an error
    """Closes the connection, as the protocol has no error response; `reason` is for the log."""

    def __init__(self, reason: str, **fields: object) -> None:
        """Take the reason, and the fields to log with it."""
        super().__init__(reason)
        self.reason = reason
        self.fields = fields


FAULT: Final = "fault"
"""Reason of a closed connection or a missing response that a fault caused."""


class Unanswered:
    """Result of a request that gets no response, although its protocol has one."""

    __slots__ = ("hang_up", "loses_requests", "loses_responses", "reason")

    def __init__(
        self,
        *,
        hang_up: bool,
        reason: str = FAULT,
        loses_requests: bool = False,
        loses_responses: bool = False,
    ) -> None:
        """Close the connection, or leave the client waiting; the reason is for the log.

        A connection keeps its order: with a request or a response all later ones are lost.
        """
        self.hang_up = hang_up
        self.reason = reason
        self.loses_requests = loses_requests
        self.loses_responses = loses_responses

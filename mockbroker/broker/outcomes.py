"""Results of a request besides a message: encoded parts, delayed response, closed connection."""

from typing import TYPE_CHECKING, Final, TypeAlias

from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mockbroker.broker.call import Call
    from mockbroker.broker.delayed import Parked
    from mockbroker.protocol.schema import Message

Parts: TypeAlias = list[Buffer]
"""Encoded response in parts, including its size and header."""

JOIN_BELOW_BYTES: Final = 16 * 1024
"""Mean buffer size below which copying the buffers into one is faster than writing each."""


class CloseConnection(Exception):  # noqa: N818 - an outcome, not always an error
    """Closes the connection, as the protocol has no error response; `reason` is for the log."""

    def __init__(self, reason: str, **fields: object) -> None:
        """Take the reason, and the fields to log with it."""
        super().__init__(reason)
        self.reason = reason
        self.fields = fields


class Unanswered:
    """Result of a request that gets no response, although its protocol has one."""

    __slots__ = ("hang_up",)

    def __init__(self, *, hang_up: bool) -> None:
        """Close the connection, or leave the client waiting."""
        self.hang_up = hang_up


class ParkedAnswer:
    """Delayed response with its request and call, which are needed to encode it."""

    __slots__ = ("call", "parked", "request")

    def __init__(self, parked: "Parked", request: "Message", call: "Call") -> None:
        """Keep the request and the call until the response."""
        self.parked = parked
        self.request = request
        self.call = call

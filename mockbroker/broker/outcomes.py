"""What a frame comes to: a response in parts, an answer that waits, or a hang-up."""

from typing import TYPE_CHECKING, Final, TypeAlias

from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mockbroker.broker.call import Call
    from mockbroker.broker.delayed import Parked
    from mockbroker.protocol.schema import Message

Parts: TypeAlias = list[Buffer]
"""A response as it goes on the wire, size and header included, in parts."""

JOIN_BELOW_BYTES: Final = 16 * 1024
"""Mean size of buffers below which copying them into one is quicker than writing each."""


class CloseConnection(Exception):  # noqa: N818 - an outcome, and not always an error
    """The protocol has no other answer than to hang up; `reason` is for the log."""

    def __init__(self, reason: str, **fields: object) -> None:
        """Say why, and what to log with it."""
        super().__init__(reason)
        self.reason = reason
        self.fields = fields


class Unanswered:
    """A request that is over without an answer, though its protocol has one."""

    __slots__ = ("hang_up",)

    def __init__(self, *, hang_up: bool) -> None:
        """Hang up, or leave the client waiting."""
        self.hang_up = hang_up


class ParkedAnswer:
    """A parked answer, with what is needed to write it when it is due."""

    __slots__ = ("call", "parked", "request")

    def __init__(self, parked: "Parked", request: "Message", call: "Call") -> None:
        """Keep the call until the answer comes."""
        self.parked = parked
        self.request = request
        self.call = call

"""Steps of a model client, which is a generator of steps and receives the result of each."""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias, TypeVar

from mockbroker.protocol.schema.message import Message

T = TypeVar("T")


class Lost(Exception):  # noqa: N818 - what clients live with, and no mistake of theirs
    """No answer has come: the connection is gone, or the client has waited long enough."""


class Send(NamedTuple):
    """Send a request to a broker. Raises `Lost` where nobody listens."""

    broker_id: int
    request: Message
    version: int


class Receive(NamedTuple):
    """Wait for the next answer of a broker: the message. Raises `Lost`."""

    broker_id: int
    timeout_ms: int


class Pause(NamedTuple):
    """Do nothing for a while."""

    ms: int


Step: TypeAlias = Send | Receive | Pause
Steps: TypeAlias = Generator[Step, Message | None, T]

"""Steps of a model client, which is a generator of steps and receives the result of each."""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias, TypeVar

from mockbroker.protocol.schema.message import Message

T = TypeVar("T")


class Lost(Exception):  # noqa: N818 - what clients live with, and no mistake of theirs
    """No response arrived: the connection is closed, or the client's time limit is over."""


class Send(NamedTuple):
    """Send a request to a broker. Raises `Lost` if the broker does not listen."""

    broker_id: int
    request: Message
    version: int


class Receive(NamedTuple):
    """Wait for the next response of a broker. Raises `Lost`."""

    broker_id: int
    timeout_ms: int


class Pause(NamedTuple):
    """Wait for a while."""

    ms: int


Step: TypeAlias = Send | Receive | Pause
Steps: TypeAlias = Generator[Step, Message | None, T]

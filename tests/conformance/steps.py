"""Steps of a scenario: requests with their responses, and those that still wait for one."""

import time
from dataclasses import dataclass, field

from mockbroker.protocol.schema.message import Message
from tests.conformance.stored import Shown
from tests.conformance.wire import Sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request of a scenario and its response, in the form of recordings."""

    name: str
    asked: str
    answer: Shown
    request: Message | None = field(default=None, compare=False, repr=False)
    """The request as the script built it, if it is one; recordings do not have it."""


@dataclass(slots=True)
class Pending:
    """A request whose response has not been read yet."""

    name: str
    asked: str
    sent: Sent
    connection: tuple[int, str]
    waits_ms: int | None = None
    sent_at_s: float = field(default_factory=time.monotonic)

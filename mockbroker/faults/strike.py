"""Call on which a fault fires, and changes of its response."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.broker.request_items import Item, Path
from mockbroker.broker.request_path import tried
from mockbroker.faults.call_facts import CallFacts
from mockbroker.protocol.codec import decode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.faults.conditions import Until
    from mockbroker.faults.held import Held
    from mockbroker.protocol.errors import ErrorCode

Response: TypeAlias = Message | Unanswered | None
"""Response to a client: a message, a missing one (perhaps with a closed connection), or none by the
protocol."""

How: TypeAlias = Literal["disconnect", "silence"]
"""The client's view of a lost response: a closed connection, or silence."""


class CallHolding(Protocol):
    """Plan of faults, as far as effects use it."""

    def hold(
        self, held: "Held", until: "Until", *, released: Callable[[], None] | None = None
    ) -> None:
        """Hold a call, and call `released` when that ends."""
        ...


class FiringFault(Protocol):
    """A fault that fires, as its effects and its plan see it; `FaultState` implements it."""

    held: "list[Held]"
    held_ever: int
    released: int
    last_error: "ErrorCode | None"

    @property
    def name(self) -> str:
        """The name of the fault in tests and reports."""
        ...

    @property
    def plan(self) -> CallHolding:
        """The plan that holds its calls."""
        ...

    def notify(self) -> None:
        """Notify the waiters of changed counts."""
        ...


@dataclass(slots=True)
class Strike:
    """A call on which a fault fires, before its handler."""

    fault: FiringFault
    request: Message
    call: Call
    facts: CallFacts
    chosen: list[Item]
    """The items that match the fault."""
    handle: Handle

    @property
    def others(self) -> frozenset[Path]:
        """The paths of the items that do not match the fault."""
        chosen = {item.path for item in self.chosen}
        return frozenset(item.path for item in self.facts.items if item.path not in chosen)

    @property
    def paths(self) -> frozenset[Path]:
        """The paths of the items that match the fault."""
        return frozenset(item.path for item in self.chosen)

    def proceed(self, request: Message | None = None) -> Answer:
        """Handle the request, or what is left of it; what goes wrong is answered."""
        asked = self.request if request is None else request
        return tried(lambda: self.handle(asked, self.call), asked, self.call)

    def then(self, answer: Answer, change: Callable[[Response], Answer]) -> Answer:
        """Change a response: now, or when a delayed one is complete."""
        if not isinstance(answer, DelayedResponse):
            return change(self._read(answer))
        attempt = answer.attempt

        def again(is_last: bool) -> Answer:
            response = attempt(is_last)
            if response is None:
                return None
            return self.then(response, change)

        answer.attempt = again
        return answer

    def _read(self, answer: Message | Encoded | Unanswered | None) -> Response:
        if not isinstance(answer, Encoded):
            return answer
        return decode(response_type(self.call.api_key), self.call.api_version, answer.body)

"""One call that a rule strikes, and how its answers are looked at."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.request_items import Item, Path
from mockbroker.protocol.codec import decode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.faults.rule import Rule

Response: TypeAlias = Message | Unanswered | None
"""What a client gets: a message, nothing and perhaps a hang-up, or nothing by the protocol."""


@dataclass(slots=True)
class Strike:
    """A call that a rule is about, in front of what would handle it."""

    rule: "Rule"
    request: Message
    call: Call
    facts: CallFacts
    chosen: list[Item]
    """The items that the rule is about."""
    handle: Handle

    @property
    def others(self) -> frozenset[Path]:
        """Where the items are that the rule is not about."""
        chosen = {item.path for item in self.chosen}
        return frozenset(item.path for item in self.facts.items if item.path not in chosen)

    @property
    def paths(self) -> frozenset[Path]:
        """Where the items are that the rule is about."""
        return frozenset(item.path for item in self.chosen)

    def proceed(self, request: Message | None = None) -> Answer:
        """Handle the request, or what is left of it; what goes wrong is answered."""
        # The pipeline knows faults, and not the reverse.
        from mockbroker.broker.request_path import tried

        asked = self.request if request is None else request
        return tried(lambda: self.handle(asked, self.call), asked, self.call)

    def then(self, answer: Answer, change: Callable[[Response], Answer]) -> Answer:
        """Change an answer: now, or when it comes where it has to wait."""
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

"""Effects that answer with an error, with the request applied or not."""

from collections.abc import Iterable
from typing import ClassVar, Final

import msgspec

from mockbroker.broker.call import Answer as CallAnswer
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.broker.request_items import Path, subset
from mockbroker.events.event_types import Applied
from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.share_answer import OF_SHARE_SESSIONS, continue_session
from mockbroker.faults.strike import Response, Strike
from mockbroker.faults.tagged import ErrorField
from mockbroker.faults.unsent_error import unsent_error
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_levels, error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.merged_answer import merged
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.error_names import error_of

_READ_ONLY: Final = frozenset({ApiKey.FETCH})
"""APIs that apply nothing, or whose items cannot be handled separately (sessions)."""
_OF_OTHER_ITEMS: Final = frozenset({ApiKey.DESCRIBE_LOG_DIRS})
"""APIs whose response has other items (directories) than the request."""


class _ErrorAnswer(Effect, frozen=True):
    """The error for the items that match the fault, and the handler's answer for the others."""

    error: ErrorField
    top_level: bool

    @property
    def code(self) -> ErrorCode:
        """The error code of the answer."""
        return error_of(self.error)

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that every version of the API's response has a field for the error."""
        for version in versions:
            levels = error_levels(api, version)
            top = [level for level in levels if "[]" not in level]
            if not levels or (self.top_level and not top):
                raise ValueError(
                    f"{api.title} v{version} has no error code "
                    + ("at its top; it has " + ", ".join(levels) if levels else "anywhere")
                )

    def warning(self, apis: Iterable[ApiKey]) -> str | None:
        """Return a warning about an error that no Kafka broker sends there."""
        return unsent_error(self.code, apis)

    def strike(self, strike: Strike) -> CallAnswer:
        """Answer with the error, and handle what does not match the fault."""
        if strike.call.api_key in OF_SHARE_SESSIONS and not self.top_level:
            is_applied = self.applied != "never"
            return continue_session(strike, lambda: self._refused(strike), is_applied=is_applied)
        others = self._others(strike)
        if self.applied != "never" or (others and strike.call.api_key in _READ_ONLY):
            return strike.then(strike.proceed(_at_once(strike)), lambda r: self._instead(strike, r))
        if not others:
            return self._refused(strike)
        rest = subset(strike.request, others)
        return strike.then(strike.proceed(rest), lambda r: self._instead(strike, r))

    def _instead(self, strike: Strike, response: Response) -> Message:
        refused = self._refused(strike)
        if not isinstance(response, Message) or not self._others(strike):
            return refused
        return merged(response, refused, strike.call.api_version)

    def _others(self, strike: Strike) -> frozenset[Path]:
        """Return the items that can be answered separately: none if the response has one code."""
        api_key = strike.call.api_key
        levels = error_levels(api_key, strike.call.api_version)
        if self.top_level or api_key in _OF_OTHER_ITEMS or not any("[]" in at for at in levels):
            return frozenset()
        return strike.others

    def _refused(self, strike: Strike) -> Message:
        """Build the error response for the items that match the fault.

        Raises:
            CloseConnection: the client wants no answer, and learns of the error as from Kafka.

        """
        if isinstance(strike.request, ProduceRequest) and not strike.request.acks:
            raise CloseConnection("fault", rule=strike.fault.name, error=self.error)
        asked = strike.facts.request
        if self._others(strike):
            asked = subset(asked, strike.paths)
        error = ApiError(self.code)
        return error_response(asked, strike.call.api_version, error, deepest=not self.top_level)


class Answer(_ErrorAnswer, frozen=True):
    """Answer with an error; nothing is applied.

    Only what matches the fault is refused: the other partitions of the request are handled. With
    `top_level` the whole answer is the error. An error that no Kafka broker sends there is accepted
    with a `MockbrokerWarning`.
    """

    error: ErrorField = msgspec.field(name="answer")
    top_level: bool = False
    applied: ClassVar[Applied] = "never"


class ApplyThenAnswer(_ErrorAnswer, frozen=True):
    """Apply the request, and answer with an error."""

    error: ErrorField = msgspec.field(name="apply_then_answer")
    top_level: bool = False


def _at_once(strike: Strike) -> Message:
    """Let a fetch that gets an error return at once, as in Kafka."""
    request = strike.request
    if isinstance(request, FetchRequest):
        request.max_wait_ms = 0
    return request

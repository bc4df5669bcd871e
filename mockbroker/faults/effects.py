"""What a rule does to a call; each says whether the broker has applied the request.

An effect is given the call in front of its handler, and whether it lets the handler have it is all
the difference between "never arrived" and "applied, but the answer was lost".
"""

from typing import Final, Protocol

from mockbroker.broker.call import Answer
from mockbroker.broker.outcomes import CloseConnection, Unanswered
from mockbroker.events.event_types import Applied
from mockbroker.faults.merged_answer import merged
from mockbroker.faults.request_items import Path, subset
from mockbroker.faults.strike import Response, Strike
from mockbroker.faults.verb import Verb
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_levels, error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.duration import duration_text

_READ_ONLY: Final = frozenset({ApiKey.FETCH})
"""Where the rest of a request cannot be handled alone (fetch sessions), and nothing is applied."""
_OF_OTHER_ITEMS: Final = frozenset({ApiKey.DESCRIBE_LOG_DIRS})
"""Where the items of the answer, directories, are not those of the request."""


class Effect(Protocol):
    """What happens to a call."""

    @property
    def applied(self) -> Applied:
        """Whether the request is applied before the effect shows, after it, or never."""
        ...

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        ...

    def strike(self, strike: Strike) -> Answer:
        """Make the call's answer."""
        ...

    def check(self, api: ApiKey, versions: range) -> None:
        """Refuse to be used for an API.

        Raises:
            ValueError: the API has no place for it.

        """
        ...


class AnyApi:
    """An effect that every API can suffer."""

    applied: Applied = "before"

    def check(self, api: ApiKey, versions: range) -> None:
        """Be content with any API."""


class Observe(AnyApi):
    """Changes nothing: a rule with it only watches."""

    def strike(self, strike: Strike) -> Answer:
        """Handle the request as it is."""
        return strike.proceed()

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("observe")

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return "observe()"


class AnswerError:
    """Answers with an error: the items that the rule is about, the others are handled."""

    def __init__(self, error: ErrorCode, *, applies: bool, top_level: bool = False) -> None:
        """Answer with a code, having applied the request or not."""
        self.error: Final = error
        """What is answered."""
        self._applies: Final = applies
        self.applied: Final[Applied] = "before" if applies else "never"
        self._top_level: Final = top_level

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that every version of the API's response has a field for the error."""
        for version in versions:
            levels = error_levels(api, version)
            top = [level for level in levels if "[]" not in level]
            if not levels or (self._top_level and not top):
                raise ValueError(
                    f"{api.title} v{version} has no error code "
                    + ("at its top; it has " + ", ".join(levels) if levels else "anywhere")
                )

    def strike(self, strike: Strike) -> Answer:
        """Answer with the error, and handle what the rule is not about."""
        others = self._others(strike)
        if self._applies or (others and strike.call.api_key in _READ_ONLY):
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
        """Give the items that can be answered otherwise: none where the answer has one code."""
        api_key = strike.call.api_key
        levels = error_levels(api_key, strike.call.api_version)
        if self._top_level or api_key in _OF_OTHER_ITEMS or not any("[]" in at for at in levels):
            return frozenset()
        return strike.others

    def _refused(self, strike: Strike) -> Message:
        """Make the refusal of what the rule is about.

        Raises:
            CloseConnection: the client wants no answer, and is told so as Kafka tells an error.

        """
        if isinstance(strike.request, ProduceRequest) and not strike.request.acks:
            raise CloseConnection("fault", rule=strike.rule.name, error=self.error.name)
        asked = strike.facts.request
        if self._others(strike):
            asked = subset(asked, strike.paths)
        error = ApiError(self.error)
        return error_response(asked, strike.call.api_version, error, deepest=not self._top_level)

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        top = {"top_level": True} if self._top_level else {}
        name = "apply_then_answer" if self._applies else "answer"
        return Verb(name, {"error": self.error.name, **top})

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return f"{self.verb.name}({self.error.name})"


def _at_once(strike: Strike) -> Message:
    """Let a fetch that gets an error wait for nothing, as Kafka does."""
    request = strike.request
    if isinstance(request, FetchRequest):
        request.max_wait_ms = 0
    return request


class LoseResponse(AnyApi):
    """Applies the request; the answer never comes."""

    def __init__(self, *, hang_up: bool = True) -> None:
        """Hang up when the answer would be sent, or say nothing."""
        self._hang_up: Final = hang_up

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and answer nothing."""
        return strike.then(strike.proceed(), lambda _: Unanswered(hang_up=self._hang_up))

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("lose_response", {} if self._hang_up else {"how": "silence"})

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return "lose_response()" if self._hang_up else "lose_response(how='silence')"


class DropRequest(AnyApi):
    """Loses the request: nothing is applied, and no answer comes."""

    applied: Applied = "never"

    def __init__(self, *, hang_up: bool = True) -> None:
        """Hang up, or say nothing."""
        self._hang_up: Final = hang_up

    def strike(self, strike: Strike) -> Answer:
        """Answer nothing."""
        return Unanswered(hang_up=self._hang_up)

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("drop_request", {} if self._hang_up else {"how": "silence"})

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return "drop_request()" if self._hang_up else "drop_request(how='silence')"


class Throttle:
    """Applies the request, and says in the answer that the client was throttled (KIP-219)."""

    applied: Applied = "before"

    def __init__(self, throttle_time_ms: int) -> None:
        """Throttle for so long."""
        self._throttle_time_ms: Final = throttle_time_ms

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that some version of the API's response has the field for it."""
        from mockbroker.protocol.messages import response_type

        field = response_type(api).FIELDS.get("throttle_time_ms")
        if field is None or not any(version in field.versions for version in versions):
            raise ValueError(f"{api.title} has no throttle_time_ms in its answers")

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and say for how long the client is throttled."""

        def throttled(response: Response) -> Response:
            if isinstance(response, Message):
                setattr(response, "throttle_time_ms", self._throttle_time_ms)  # noqa: B010
            return response

        return strike.then(strike.proceed(), throttled)

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("throttle", {"by": duration_text(self._throttle_time_ms)})

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return f"throttle({self._throttle_time_ms})"

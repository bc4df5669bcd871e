"""Effect that reports to the client that it was throttled (KIP-219)."""

import msgspec

from mockbroker.broker.call import Answer
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import Response, Strike
from mockbroker.faults.tagged import DurationField
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.duration import milliseconds


class Throttle(Effect, frozen=True):
    """Apply the request, and set the throttle time of the response."""

    by: DurationField = msgspec.field(name="throttle")

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that some version of the API's response has the field for it."""
        field = response_type(api).FIELDS.get("throttle_time_ms")
        if field is None or not any(version in field.versions for version in versions):
            raise ValueError(f"{api.title} has no throttle_time_ms in its answers")

    def strike(self, strike: Strike) -> Answer:
        """Handle the request, and set the throttle time of the answer."""

        def throttled(response: Response) -> Response:
            if isinstance(response, Message):
                setattr(response, "throttle_time_ms", milliseconds(self.by))  # noqa: B010
            return response

        return strike.then(strike.proceed(), throttled)

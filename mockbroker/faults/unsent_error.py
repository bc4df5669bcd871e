"""Warning about errors that no Kafka broker sends in responses of an API."""

from collections.abc import Iterable

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS


class MockbrokerWarning(UserWarning):
    """Accepted input that is probably not intended."""


def unsent_error(error: ErrorCode, apis: Iterable[ApiKey]) -> str | None:
    """Return a warning with the APIs for which no broker sends the error; None without any."""
    never = [api.title for api in apis if error not in RESPONSE_ERRORS.get(api, ())]
    if not never:
        return None
    return (
        f"no Kafka broker answers {', '.join(never)} with {error.name}: "
        "the reaction of a client to it shows nothing about Kafka"
    )

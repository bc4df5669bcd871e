"""The doubt about an error that real Kafka never sends there: it is accepted, and said once."""

from collections.abc import Iterable

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS


class MockbrokerWarning(UserWarning):
    """What was accepted, and is probably not what was meant."""


def unsent_error(error: ErrorCode, apis: Iterable[ApiKey]) -> str | None:
    """Say of which of these APIs no broker ever answers so, if there is one."""
    never = [api.title for api in apis if error not in RESPONSE_ERRORS.get(api, ())]
    if not never:
        return None
    return (
        f"no Kafka broker answers {', '.join(never)} with {error.name}: "
        "what a client makes of that tells nothing about Kafka"
    )

"""INTERIM by lead; helper replaces."""

from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema import Message


def error_response(request: Message, version: int, error: ApiError) -> Message:
    """Build."""
    assert request.API is not None
    response = response_type(request.API)()
    if "error_code" in response.FIELDS:
        response.error_code = int(error.code)  # type: ignore[attr-defined]
    return response

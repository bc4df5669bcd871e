"""The headers before every request and response, and which version of them an API has."""

from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.schema import INT16, INT32, STRING, Message, field

_REQUEST_HEADER_WITHOUT_CLIENT_ID: Final = (ApiKey.CONTROLLED_SHUTDOWN, 0)


class RequestHeader(Message, kind="header", versions="0-2", flexible="2+"):
    """What every request begins with; the client id is never compact (KIP-482)."""

    request_api_key: int = field(INT16)
    request_api_version: int = field(INT16)
    correlation_id: int = field(INT32)
    client_id: str | None = field(STRING, "1+", nullable="1+", flexible="none")


class ResponseHeader(Message, kind="header", versions="0-1", flexible="1+"):
    """What every response begins with."""

    correlation_id: int = field(INT32)


def request_header_version(api_key: ApiKey, version: int) -> int:
    """Tell which version of the header a request of this API and version has."""
    if (api_key, version) == _REQUEST_HEADER_WITHOUT_CLIENT_ID:
        return 0
    return 2 if version in request_type(api_key).FLEXIBLE else 1


def response_header_version(api_key: ApiKey, version: int) -> int:
    """Tell which version of the header a response of this API and version has.

    ApiVersions always has the oldest: its reader cannot know yet what the broker speaks
    (KIP-511).
    """
    if api_key is ApiKey.API_VERSIONS:
        return 0
    return 1 if version in request_type(api_key).FLEXIBLE else 0

"""Request and response headers, and the header version of each API."""

import struct
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import SIZE_BYTES
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    STRING,
    Message,
    field,
)
from mockbroker.protocol.types import Buffer

_KEY_AND_VERSION: Final = struct.Struct(">hh").unpack_from
_RESPONSE_FRONTS: Final = (struct.Struct(">ii").pack, struct.Struct(">iix").pack)
"""The size of a response, and its header in both versions: the second has tagged fields."""
_REQUEST_HEADER_WITHOUT_CLIENT_ID: Final = (ApiKey.CONTROLLED_SHUTDOWN, 0)


class RequestHeader(Message, kind="header", versions="0-2", flexible="2+"):
    """Header of a request; the client id never has a compact length (KIP-482)."""

    request_api_key: int = field(INT16)
    request_api_version: int = field(INT16)
    correlation_id: int = field(INT32)
    client_id: str | None = field(STRING, "1+", nullable="1+", flexible="none")


class ResponseHeader(Message, kind="header", versions="0-1", flexible="1+"):
    """Header of a response."""

    correlation_id: int = field(INT32)


def request_header_version(api_key: ApiKey, version: int) -> int:
    """Return the version of the request header for an API version."""
    if (api_key, version) == _REQUEST_HEADER_WITHOUT_CLIENT_ID:
        return 0
    return 2 if version in request_type(api_key).FLEXIBLE else 1


def response_header_version(api_key: ApiKey, version: int) -> int:
    """Return the version of the response header for an API version.

    ApiVersions always uses version 0, because its client does not know yet which versions the
    broker supports (KIP-511).
    """
    if api_key is ApiKey.API_VERSIONS:
        return 0
    return 1 if version in request_type(api_key).FLEXIBLE else 0


def first_bytes_of(api_key: ApiKey) -> bytes:
    """Encode the API key as every request of the API begins with it."""
    return api_key.to_bytes(2)


def read_api_key_and_version(frame: Buffer) -> tuple[int, int]:
    """Read the fields that determine the format of the rest of a request.

    Raises:
        DecodeError: the frame has no room for them.

    """
    try:
        key, version = _KEY_AND_VERSION(frame)
    except struct.error:
        raise DecodeError("header", f"{len(frame)} bytes are no request") from None
    return key, version


def response_front(api_key: ApiKey, version: int, *, correlation_id: int, body_bytes: int) -> bytes:
    """Encode the bytes before the body of a response: its size and its header."""
    header_version = response_header_version(api_key, version)
    size_bytes = SIZE_BYTES + header_version + body_bytes
    return _RESPONSE_FRONTS[header_version](size_bytes, correlation_id)

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode_prefix, encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    first_bytes_of,
    read_api_key_and_version,
    request_header_version,
    response_front,
    response_header_version,
)

HEADER = RequestHeader(request_api_key=18, request_api_version=3, correlation_id=7, client_id="me")


@pytest.mark.parametrize(
    ("version", "written"),
    [
        (0, "0012 0003 00000007"),
        (1, "0012 0003 00000007 0002 6d65"),
        (2, "0012 0003 00000007 0002 6d65 00"),
    ],
)
def test_the_client_id_is_never_compact(version: int, written: str) -> None:
    assert encode(HEADER, version) == bytes.fromhex(written)


def test_a_header_is_read_before_the_body() -> None:
    data = encode(HEADER, 2)
    assert decode_prefix(RequestHeader, 2, data + b"the body") == (HEADER, len(data))


def test_a_client_may_have_no_name() -> None:
    header = RequestHeader(client_id=None)
    assert decode_prefix(RequestHeader, 1, encode(header, 1)) == (header, 10)


@pytest.mark.parametrize(
    ("api_key", "version", "request_version", "response_version"),
    [
        (ApiKey.PRODUCE, 8, 1, 0),
        (ApiKey.PRODUCE, 9, 2, 1),
        (ApiKey.SASL_HANDSHAKE, 1, 1, 0),
        (ApiKey.CONSUMER_GROUP_HEARTBEAT, 0, 2, 1),
        # Its client does not know the broker's versions yet.
        (ApiKey.API_VERSIONS, 2, 1, 0),
        (ApiKey.API_VERSIONS, 3, 2, 0),
    ],
)
def test_flexible_messages_have_flexible_headers(
    api_key: ApiKey, version: int, request_version: int, response_version: int
) -> None:
    assert request_header_version(api_key, version) == request_version
    assert response_header_version(api_key, version) == response_version


def test_the_oldest_controlled_shutdown_has_no_client_id() -> None:
    assert request_header_version(ApiKey.CONTROLLED_SHUTDOWN, 0) == 0


def test_a_response_header_is_the_correlation_id() -> None:
    assert encode(ResponseHeader(correlation_id=1), 0) == b"\0\0\0\x01"
    assert encode(ResponseHeader(correlation_id=1), 1) == b"\0\0\0\x01\0"


def test_a_request_begins_with_the_key_of_its_api() -> None:
    assert encode(HEADER, 2).startswith(first_bytes_of(ApiKey.API_VERSIONS))


def test_key_and_version_are_read_before_the_header() -> None:
    assert read_api_key_and_version(encode(HEADER, 2)) == (18, 3)
    with pytest.raises(DecodeError, match="3 bytes are no request"):
        read_api_key_and_version(b"\0\x12\0")


@pytest.mark.parametrize("version", [8, 9])
def test_the_front_of_a_response_is_its_size_and_its_header(version: int) -> None:
    written = encode(
        ResponseHeader(correlation_id=7), response_header_version(ApiKey.PRODUCE, version)
    )
    front = response_front(ApiKey.PRODUCE, version, correlation_id=7, body_bytes=100)
    assert front == (len(written) + 100).to_bytes(4) + written

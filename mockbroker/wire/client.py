"""A blocking connection to one broker, which sends and receives protocol messages."""

import socket
from typing import Final, Self, TypeVar

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode
from mockbroker.protocol.framing import SIZE_BYTES, read_size, sized
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.schema.message import Message

ResponseT = TypeVar("ResponseT", bound=Message)

_RESPONSE_BYTES_MAX: Final = 1 << 28
"""Larger than any Fetch response; smaller than the first bytes of TLS or HTTP read as a size."""
_CLIENT_ID: Final = "mockbroker-wire"


class WireError(Exception):
    """Unreachable cluster or refused request; the text names broker, request and remedy."""


class WireClient:
    """Client that sends requests of any API and version unchanged, and reads the responses.

    It is a context manager that closes the connection at its end. It never retries or checks.
    """

    def __init__(self, address: str, *, timeout_s: float = 10.0) -> None:
        """Connect to an address such as `127.0.0.1:9092`; from a list, the first one is used.

        Raises:
            OSError: the connection fails.

        """
        self.address: Final = address.partition(",")[0]
        host, _, port = self.address.rpartition(":")
        self._timeout_s: Final = timeout_s
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sent = 0
        self._received = 0
        self._versions: dict[int, range] | None = None

    @property
    def is_waiting(self) -> bool:
        """True while a response has not been read yet."""
        return self._received < self._sent

    def ask(self, request: Message, version: int, kind: type[ResponseT]) -> ResponseT:
        """Send a request in the given version, and return its response, a message of class `kind`.

        Raises:
            ConnectionError: the broker hung up.
            TimeoutError: it did not answer in time.

        """
        self.send(request, version)
        return self.receive(version, kind)

    def ask_newest(self, request: Message, known: range, kind: type[ResponseT]) -> ResponseT:
        """Send a request in the newest of the `known` versions that the broker serves.

        Raises:
            ConnectionError: the broker hung up.
            TimeoutError: it did not answer in time.
            WireError: the broker serves none of the versions.

        """
        assert request.API is not None, request
        return self.ask(request, self.newest_version(request.API, known), kind)

    def send(self, request: Message, version: int) -> None:
        """Send a request without waiting for its response."""
        assert request.API is not None, request
        self._sent += 1
        header = RequestHeader(
            request_api_key=request.API,
            request_api_version=version,
            correlation_id=self._sent,
            client_id=_CLIENT_ID,
        )
        header_version = request_header_version(request.API, version)
        frame = encode(header, header_version) + encode(request, version)
        self._socket.sendall(sized(frame))

    def receive(self, version: int, kind: type[ResponseT]) -> ResponseT:
        """Read the next response; responses arrive in the order of the requests.

        Raises:
            ConnectionError: the broker hung up.
            TimeoutError: it did not answer in time.

        """
        assert kind.API is not None, kind
        try:
            (size_bytes,) = read_size(self._receive_exactly(SIZE_BYTES))
            if not 0 <= size_bytes <= _RESPONSE_BYTES_MAX:
                raise ConnectionError("the response is not Kafka's: is the listener PLAINTEXT?")
            frame = self._receive_exactly(size_bytes)
        except TimeoutError:
            why = f"no response in {self._timeout_s:g} s"
            raise TimeoutError(f"{self.address} to {kind.API.title} v{version}: {why}") from None
        except OSError as error:
            why = error.strerror or str(error)
            raise ConnectionError(f"{self.address} to {kind.API.title} v{version}: {why}") from None
        self._received += 1
        header_version = response_header_version(kind.API, version)
        _, position = decode_prefix(ResponseHeader, header_version, frame)
        return decode(kind, version, frame, position)

    def versions(self, api_key: ApiKey) -> range:
        """Return the versions of an API that the broker advertises; empty if it does not."""
        if self._versions is None:
            answer = self.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
            self._versions = {
                api.api_key: range(api.min_version, api.max_version + 1) for api in answer.api_keys
            }
        return self._versions.get(api_key, range(0))

    def newest_version(self, api_key: ApiKey, known: range) -> int:
        """Return the newest of the known versions of an API that the broker serves.

        Raises:
            WireError: the broker serves none of them.

        """
        served = self.versions(api_key)
        newest = min(known.stop, served.stop) - 1
        if newest < max(known.start, served.start):
            there = f"v{served.start} to v{served.stop - 1} of" if served else "no"
            raise WireError(
                f"{self.address} serves {there} {api_key.title}, and v{known.start} to "
                f"v{known.stop - 1} are known here: use a broker of Kafka 0.11 to 4.4"
            )
        return newest

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def _receive_exactly(self, size_bytes: int) -> bytes:
        received = memoryview(bytearray(size_bytes))
        position = 0
        while position < size_bytes:
            part_bytes = self._socket.recv_into(received[position:])
            if not part_bytes:
                raise ConnectionError(
                    "the broker closed the connection: it does not serve that version, or expects"
                    " another protocol"
                )
            position += part_bytes
        return bytes(received)

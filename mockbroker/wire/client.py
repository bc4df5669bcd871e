"""A blocking connection to one broker, which sends and receives protocol messages."""

import socket
import ssl
from typing import Final, Self, TypeVar

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.framing import SIZE_BYTES, read_size, sized
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from mockbroker.protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.wire.sasl_client import ClientLogin, LoginError
from mockbroker.wire.security import PLAINTEXT, Security, context_of

ResponseT = TypeVar("ResponseT", bound=Message)

_RESPONSE_BYTES_MAX: Final = 1 << 28
"""Larger than any Fetch response; smaller than the first bytes of TLS or HTTP read as a size."""
_CLIENT_ID: Final = "mockbroker-wire"
_SASL_HANDSHAKE: Final = range(2)
_SASL_AUTHENTICATE: Final = range(3)


class WireError(Exception):
    """Unreachable cluster or refused request; the text names broker, request and remedy."""


class WireClient:
    """Client that sends requests of any API and version unchanged, and reads the responses.

    It is a context manager that closes the connection at its end. It never retries or checks.
    """

    def __init__(
        self, address: str, *, timeout_s: float = 10.0, security: Security = PLAINTEXT
    ) -> None:
        """Connect to an address such as `127.0.0.1:9092`; from a list, the first one is used.

        Raises:
            OSError: the connection fails.
            WireError: the broker's certificate is not trusted, or the broker refuses the login.

        """
        self.address: Final = address.partition(",")[0]
        host, _, port = self.address.rpartition(":")
        self._timeout_s: Final = timeout_s
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sent = 0
        self._received = 0
        self._versions: dict[int, range] | None = None
        try:
            if security.protocol.is_ssl:
                self._encrypt(host.strip("[]"), security)
            if security.login is not None:
                self._log_in(security.login)
        except BaseException:
            self.close()
            raise

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
            frame = self._receive_frame()
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

    def _encrypt(self, host: str, security: Security) -> None:
        try:
            self._socket = context_of(security).wrap_socket(self._socket, server_hostname=host)
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            # a broker that stops does it too, so that it is worth another attempt
            raise ConnectionError(
                "the broker closed the connection in the TLS handshake: check security.protocol"
            ) from None
        except ssl.SSLError as error:
            why = getattr(error, "verify_message", None) or error.reason or str(error)
            raise WireError(
                f"{self.address}: the TLS handshake failed: {why} (check security.protocol, and the"
                " authority in ssl.truststore)"
            ) from None

    def _log_in(self, login: ClientLogin) -> None:
        version = self.newest_version(ApiKey.SASL_HANDSHAKE, _SASL_HANDSHAKE)
        request = SaslHandshakeRequest(mechanism=login.mechanism)
        answer = self.ask(request, version, SaslHandshakeResponse)
        if answer.error_code:
            enabled = ", ".join(answer.mechanisms) or "none"
            raise WireError(
                f"{self.address} does not enable {login.mechanism}; it enables {enabled}"
                " (sasl.mechanism)"
            )
        steps = login.steps()
        try:
            message = next(steps)
            while True:
                message = steps.send(self._step(message, has_api=version > 0))
        except StopIteration:
            return
        except LoginError as error:
            raise self._refused(login, str(error)) from None
        except OSError as error:
            if version > 0 or isinstance(error, TimeoutError):
                raise
            raise self._refused(login, "it closed the connection") from None

    def _step(self, message: bytes, *, has_api: bool) -> bytes:
        """Send one message of an authentication; brokers before 1.0 expect it without an API."""
        if not has_api:
            self._socket.sendall(sized(message))
            return self._receive_frame()
        request = SaslAuthenticateRequest(auth_bytes=message)
        answer = self.ask_newest(request, _SASL_AUTHENTICATE, SaslAuthenticateResponse)
        if answer.error_code:
            raise LoginError(answer.error_message or ErrorCode(answer.error_code).name)
        return answer.auth_bytes

    def _refused(self, login: ClientLogin, why: str) -> WireError:
        return WireError(f"{self.address} refuses the login by {login.mechanism}: {why}")

    def _receive_frame(self) -> bytes:
        (size_bytes,) = read_size(self._receive_exactly(SIZE_BYTES))
        if not 0 <= size_bytes <= _RESPONSE_BYTES_MAX:
            raise ConnectionError("the response is not Kafka's: check security.protocol")
        return self._receive_exactly(size_bytes)

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


def addresses_of(bootstrap_servers: str) -> list[str]:
    """Return the `host:port` of each bootstrap server, without the names of listeners before them.

    Raises:
        WireError: the text is not a list of addresses.

    """
    addresses: list[str] = []
    for text in filter(None, map(str.strip, bootstrap_servers.split(","))):
        address = text.rpartition("://")[2]
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise WireError(f"the bootstrap server {text!r} is not written as host:port")
        addresses.append(address)
    if not addresses:
        raise WireError("the bootstrap servers are empty: name them as host:port,host:port")
    return addresses

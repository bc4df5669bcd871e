"""Small client: requests over blocking sockets, and responses decoded by the declarations."""

import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Protocol, TypeAlias, TypeVar

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.schema.message import Message

MessageT = TypeVar("MessageT", bound=Message)

CLIENT_ID: Final = "conformance"
SIZE: Final = struct.Struct(">i")
API_KEYS: Final = frozenset(int(key) for key in ApiKey)


class Nothing(Enum):
    """Result in the place of a response."""

    CLOSED = "connection closed"
    SILENCE = "no answer"
    BROKEN = "an answer that cannot be decoded"


Answer: TypeAlias = Message | Nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A sent request, with the data to read its response."""

    api_key: ApiKey
    answer_version: int
    correlation_id: int
    request: Message | None = None


class Translator(Protocol):
    """Changes requests on their way out, and answers on their way back."""

    def request(self, message: MessageT) -> MessageT:
        """Return the request to send."""
        ...

    def answer(self, message: MessageT, request: Message | None) -> MessageT:
        """Return the answer to a request as the script gets it."""
        ...

    def inner(self, text: str) -> str:
        """Return a text of the broker with the script's names."""
        ...


class Connection:
    """One connection to one broker."""

    def __init__(self, address: tuple[str, int], translator: Translator | None = None) -> None:
        self._translator = translator
        self._socket = socket.create_connection(address, 10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._correlation_id = 0
        self._kept: bytearray | None = None
        self._received = bytearray()

    def send(self, request: Message, version: int) -> Sent:
        """Send a declared request in one of its versions."""
        api_key = request.API
        assert api_key is not None
        header_version = request_header_version(api_key, version)
        outer = request if self._translator is None else self._translator.request(request)
        sent = self.send_frame(
            api_key, version, encode(outer, version), header_version=header_version
        )
        return replace(sent, request=request)

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Buffer the sent bytes, and send all of them at the end.

        So the broker's thread wakes up once, and the responses can be read in large pieces.
        """
        self._kept = bytearray()
        try:
            yield
            with suppress(ConnectionError):
                self._socket.sendall(self._kept)
        finally:
            self._kept = None

    def send_frame(
        self,
        api_key: int,
        version: int,
        body: bytes,
        *,
        header_version: int,
        answer_version: int | None = None,
    ) -> Sent:
        """Send a body with a header of any key and version."""
        self._correlation_id += 1
        header = RequestHeader(
            request_api_key=api_key,
            request_api_version=version,
            correlation_id=self._correlation_id,
            client_id=CLIENT_ID,
        )
        frame = encode(header, header_version) + body
        self.send_bytes(SIZE.pack(len(frame)) + frame)
        return Sent(
            api_key=ApiKey(api_key) if api_key in API_KEYS else ApiKey.API_VERSIONS,
            answer_version=version if answer_version is None else answer_version,
            correlation_id=self._correlation_id,
        )

    def send_bytes(self, data: bytes) -> None:
        """Send raw bytes; that the broker has closed the connection shows when it is read."""
        if self._kept is None:
            with suppress(ConnectionError):
                self._socket.sendall(data)
        else:
            self._kept += data

    def receive(self, sent: Sent, patience_s: float) -> Answer:
        """Read the next response, which has to belong to `sent`."""
        frame = self.receive_frame(patience_s)
        if isinstance(frame, Nothing):
            return frame
        try:
            answer = _decoded(sent, frame)
        except DecodeError:
            return Nothing.BROKEN
        if answer is None:
            return Nothing.BROKEN
        if self._translator is None:
            return answer
        return self._translator.answer(answer, sent.request)

    def receive_frame(self, patience_s: float) -> bytes | Nothing:
        """Read the next frame, without its size."""
        self._socket.settimeout(patience_s)
        try:
            size = self._receive_exactly(SIZE.size)
            return self._receive_exactly(SIZE.unpack(size)[0])
        except TimeoutError:
            return Nothing.SILENCE
        except ConnectionError:
            return Nothing.CLOSED

    def _receive_exactly(self, size_bytes: int) -> bytes:
        while len(self._received) < size_bytes:
            part = self._socket.recv(1 << 20)
            if not part:
                raise ConnectionError
            self._received += part
        exactly = bytes(self._received[:size_bytes])
        del self._received[:size_bytes]
        return exactly

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _decoded(sent: Sent, frame: bytes) -> Message | None:
    """Decode an answer; None if it belongs to another request."""
    header_version = response_header_version(sent.api_key, sent.answer_version)
    header, position = decode_prefix(ResponseHeader, header_version, frame)
    if header.correlation_id != sent.correlation_id:
        return None
    return decode(response_type(sent.api_key), sent.answer_version, frame, position)

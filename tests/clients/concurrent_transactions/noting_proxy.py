"""TCP proxy in front of a broker that notes the error codes of responses, in order."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.framing import SIZE_BYTES, read_size
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    read_api_key_and_version,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages import response_type

_RECEIVE_MAX: Final = 1 << 16
NOTED: Final = frozenset(
    {
        *(ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN),
        *(ApiKey.TXN_OFFSET_COMMIT, ApiKey.PRODUCE, ApiKey.END_TXN),
    }
)
"""The APIs whose responses are noted."""


class Answered(NamedTuple):
    """A response of a broker."""

    api: ApiKey
    error: ErrorCode
    """Its first error, or NONE."""


class NotingProxy:
    """Proxy between two ports of the loopback."""

    def __init__(self, port: int, broker_port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self._broker_port = broker_port
        self._connections: list[socket.socket] = []
        self.answers: list[Answered] = []
        """The responses so far, in order."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Port of the proxy."""
        port: int = self._listener.getsockname()[1]
        return port

    def close(self) -> None:
        """Take no more connections, and end those that there are."""
        for each in (self._listener, *self._connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self._broker_port))
                self._connections += [client, broker]
                for one in (client, broker):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                conversation = Conversation(self.answers)
                asking = client, broker, Frames(conversation.note_request)
                threading.Thread(target=_ask, args=asking, daemon=True).start()
                answering = broker, client, Frames(conversation.note_response)
                threading.Thread(target=_answer, args=answering, daemon=True).start()


class Conversation:
    """The requests of one connection that wait for their responses."""

    def __init__(self, answers: list[Answered]) -> None:
        self._answers = answers
        self._asked: dict[int, tuple[ApiKey, int]] = {}

    def note_request(self, frame: bytes) -> None:
        """Remember a request whose response is to be noted."""
        key, version = read_api_key_and_version(frame)
        api = ApiKey(key)
        header, _ = decode_prefix(RequestHeader, request_header_version(api, version), frame)
        if api in NOTED:
            self._asked[header.correlation_id] = (api, version)

    def note_response(self, frame: bytes) -> None:
        """Note the error of a response."""
        (correlation_id,) = read_size(frame[:SIZE_BYTES])
        asked = self._asked.pop(correlation_id, None)
        if asked is None:
            return
        api, version = asked
        _, position = decode_prefix(ResponseHeader, response_header_version(api, version), frame)
        response = decode(response_type(api), version, frame, position)
        self._answers.append(Answered(api, first_error(response)))


class Frames:
    """Cuts a stream of bytes into frames."""

    def __init__(self, note: Callable[[bytes], None]) -> None:
        self._note = note
        self._unparsed = b""

    def feed(self, received: bytes) -> None:
        """Take received bytes, and note each frame that is complete."""
        unparsed = self._unparsed + received
        while len(unparsed) >= SIZE_BYTES:
            end = SIZE_BYTES + read_size(unparsed[:SIZE_BYTES])[0]
            if len(unparsed) < end:
                break
            self._note(unparsed[SIZE_BYTES:end])
            unparsed = unparsed[end:]
        self._unparsed = unparsed


def _ask(client: socket.socket, broker: socket.socket, frames: Frames) -> None:
    with suppress(OSError):
        while received := client.recv(_RECEIVE_MAX):
            frames.feed(received)  # first, or the response might come before it is expected
            broker.sendall(received)
        broker.shutdown(socket.SHUT_WR)


def _answer(broker: socket.socket, client: socket.socket, frames: Frames) -> None:
    with suppress(OSError):
        while received := broker.recv(_RECEIVE_MAX):
            client.sendall(received)
            frames.feed(received)
        client.shutdown(socket.SHUT_WR)


@contextmanager
def noting_proxy(port: int, broker_port: int) -> Generator[NotingProxy]:
    """A proxy that is closed at the end."""
    proxy = NotingProxy(port, broker_port)
    try:
        yield proxy
    finally:
        proxy.close()

"""A broker that gives recorded responses, and a proxy that records those of a real one.

A recording has the responses of each API in order. Metadata names the address of whoever answers.
"""

import base64
import json
import socket
import struct
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.headers import response_header_version
from mockbroker.protocol.messages.metadata import MetadataResponse

_SIZE: Final = struct.Struct(">i")
_REQUEST: Final = struct.Struct(">hhi")
_CORRELATION_ID: Final = struct.Struct(">i")


class Recorded(NamedTuple):
    """A response, without its header."""

    api: ApiKey
    version: int
    body: bytes


Answer = Callable[[ApiKey, int, bytes], bytes]
"""Returns the response to a request frame, both without what this module adds."""


def read_recording(path: Path) -> list[Recorded]:
    lines = map(json.loads, path.read_text().splitlines())
    return [Recorded(ApiKey[api], version, base64.b64decode(body)) for api, version, body in lines]


def write_recording(path: Path, recorded: list[Recorded]) -> None:
    lines = (
        json.dumps([each.api.name, each.version, base64.b64encode(each.body).decode()])
        for each in recorded
    )
    path.write_text("".join(f"{line}\n" for line in lines))


@contextmanager
def replaying(recorded: list[Recorded]) -> Iterator[str]:
    """Serve recorded responses, and give the address."""
    waiting: defaultdict[tuple[ApiKey, int], deque[bytes]] = defaultdict(deque)
    for each in recorded:
        waiting[each.api, each.version].append(each.body)
    with _serving(lambda api, version, _frame: waiting[api, version].popleft()) as address:
        yield address


@contextmanager
def recording(server: str, recorded: list[Recorded]) -> Iterator[str]:
    """Serve what a broker answers, add it to a list, and give the address."""
    host, _, port = server.rpartition(":")
    with socket.create_connection((host, int(port)), 30) as upstream:

        def ask(api: ApiKey, version: int, frame: bytes) -> bytes:
            upstream.sendall(_SIZE.pack(len(frame)) + frame)
            response = _read_frame(upstream)
            assert response is not None, api
            body = response[_CORRELATION_ID.size + response_header_version(api, version) :]
            recorded.append(Recorded(api, version, body))
            return body

        with _serving(ask) as address:
            yield address


@contextmanager
def _serving(answer: Answer) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        Thread(target=_accept, args=(listener, port, answer), daemon=True).start()
        yield f"127.0.0.1:{port}"


def _accept(listener: socket.socket, port: int, answer: Answer) -> None:
    with suppress(OSError):  # the listener is closed at the end
        while True:
            connection, _ = listener.accept()
            Thread(target=_serve, args=(connection, port, answer), daemon=True).start()


def _serve(connection: socket.socket, port: int, answer: Answer) -> None:
    with connection:
        while (frame := _read_frame(connection)) is not None:
            key, version, correlation_id = _REQUEST.unpack_from(frame)
            api = ApiKey(key)
            body = answer(api, version, frame)
            if api is ApiKey.METADATA:
                body = _here(body, version, port)
            tags = bytes(response_header_version(api, version))
            response = _CORRELATION_ID.pack(correlation_id) + tags + body
            connection.sendall(_SIZE.pack(len(response)) + response)


def _here(body: bytes, version: int, port: int) -> bytes:
    metadata = decode(MetadataResponse, version, body)
    for broker in metadata.brokers:
        broker.host, broker.port = "127.0.0.1", port
    return encode(metadata, version)


def _read_frame(connection: socket.socket) -> bytes | None:
    size = _read(connection, _SIZE.size)
    return None if size is None else _read(connection, _SIZE.unpack(size)[0])


def _read(connection: socket.socket, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            return None
        data += more
    return data

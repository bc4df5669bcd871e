"""Requests and answers spelled out in bytes: no client library is asked, and none of our code.

Only versions without tagged fields are spoken, which every release serves.
"""

import socket
import struct
from typing import Final

Address = tuple[str, int]

_TIMEOUT_S: Final = 10.0
_NO_ERROR: Final = 0


class RefusedError(AssertionError):
    """A broker that answers with an error code."""

    def __init__(self, what: str, error_code: int) -> None:
        super().__init__(f"{what}: error code {error_code}")


class Reader:
    """Reads an answer from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def take(self, size_bytes: int) -> bytes:
        """Return the next bytes."""
        self._position += size_bytes
        return self._data[self._position - size_bytes : self._position]

    def unpack(self, layout: str) -> tuple[int, ...]:
        """Return the next fields of this layout."""
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def string(self) -> str:
        """Return the next string; empty when it is null."""
        (size_bytes,) = self.unpack(">h")
        return self.take(max(size_bytes, 0)).decode()


def call(address: Address, *, api_key: int, api_version: int, body: bytes) -> bytes:
    """Send one request on a connection of its own and return the answer's body."""
    request = struct.pack(">hhi", api_key, api_version, 0) + string("tests-clients") + body
    with (
        socket.create_connection(address, _TIMEOUT_S) as connection,
        connection.makefile("rb") as stream,
    ):
        connection.sendall(struct.pack(">i", len(request)) + request)
        (size_bytes,) = struct.unpack(">i", stream.read(4))
        return stream.read(size_bytes)[4:]


def string(text: str) -> bytes:
    """Return the string as the protocol has it."""
    return struct.pack(">h", len(text)) + text.encode()


def array(element: bytes) -> bytes:
    """Return an array of one element."""
    return struct.pack(">i", 1) + element


def leaders(bootstrap_servers: str, topic: str) -> dict[int, Address]:
    """Return the address of each partition's leader, by Metadata v1."""
    first_host, _, first_port = bootstrap_servers.split(",", maxsplit=1)[0].rpartition(":")
    address = (first_host, int(first_port))
    answer = Reader(call(address, api_key=3, api_version=1, body=array(string(topic))))
    addresses: dict[int, Address] = {}
    for _ in range(answer.unpack(">i")[0]):
        (node_id,) = answer.unpack(">i")
        host = answer.string()
        (port,) = answer.unpack(">i")
        answer.string()  # rack
        addresses[node_id] = (host, port)
    _, _, error_code = answer.unpack(">iih")  # controller, one topic
    if error_code != _NO_ERROR:
        raise RefusedError(f"metadata of {topic}", error_code)
    answer.string()
    _, partition_count = answer.unpack(">bi")
    found: dict[int, Address] = {}
    for _ in range(partition_count):
        error_code, partition, leader_id = answer.unpack(">hii")
        if error_code != _NO_ERROR:
            raise RefusedError(f"metadata of partition {partition}", error_code)
        for _ in ("replicas", "in-sync replicas"):
            answer.unpack(f">{answer.unpack('>i')[0]}i")
        found[partition] = addresses[leader_id]
    return found


def group_coordinator(bootstrap_servers: str, group: str) -> Address:
    """Return the address of the group's coordinator, by FindCoordinator v0."""
    host, _, port = bootstrap_servers.split(",", maxsplit=1)[0].rpartition(":")
    answer = Reader(call((host, int(port)), api_key=10, api_version=0, body=string(group)))
    (error_code, _node_id) = answer.unpack(">hi")
    if error_code:
        raise RefusedError(f"coordinator of {group}", error_code)
    return answer.string(), answer.unpack(">i")[0]

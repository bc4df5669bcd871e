"""Stall and memory beside the worst requests of one API: the waits of another client.

    python -m bench.stalls ADDRESS PROCESS_ID API

Sends each request of `bench.worst_requests`, in all versions, while another connection asks for
ApiVersions all the time. Prints one JSON object: for the worst of them, the milliseconds that the
other client waited, and the MiB that the broker took beyond four times the request.
"""

import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.worst_requests import TOPIC, WorstRequest, worst_requests
from mockbroker.broker.api_table import API_TABLE
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode
from mockbroker.protocol.headers import RequestHeader, request_header_version
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from mockbroker.protocol.schema.message import Message

ELEMENTS: Final = 20_000
TIMES_THE_REQUEST: Final = 4
_SIZE: Final = struct.Struct(">i")
_CHUNK_BYTES: Final = 1 << 20
_TIMEOUT_S: Final = 60
_KIB_A_MIB: Final = 1024


class Client:
    """Connection that sends frames and waits for the responses."""

    def __init__(self, address: str) -> None:
        """Connect."""
        host, port = address.split(",", maxsplit=1)[0].rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=_TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, frame: bytes) -> None:
        """Send a frame, and wait for its response or for the end of the connection."""
        try:
            self._socket.sendall(_SIZE.pack(len(frame)) + frame)
            self._socket.settimeout(_TIMEOUT_S)
            head = self._socket.recv(_SIZE.size, socket.MSG_WAITALL)
            left_bytes = _SIZE.unpack(head)[0] if len(head) == _SIZE.size else 0
            while left_bytes:
                part = self._socket.recv(min(left_bytes, _CHUNK_BYTES))
                if not part:
                    return
                left_bytes -= len(part)
        except (ConnectionError, TimeoutError):  # refused, or without a response
            return

    def close(self) -> None:
        """Disconnect."""
        self._socket.close()


class GoodClient(threading.Thread):
    """Client that asks all the time, and keeps its longest wait."""

    def __init__(self, address: str) -> None:
        """Connect."""
        super().__init__(daemon=True)
        self._client = Client(address)
        self._frame = _frame(ApiVersionsRequest(), 0)
        self.longest_s = 0.0

    def run(self) -> None:
        """Ask, and wait for a millisecond."""
        while True:
            began = time.perf_counter()
            self._client.ask(self._frame)
            self.longest_s = max(self.longest_s, time.perf_counter() - began)
            time.sleep(0.001)


def _frame(request: Message, version: int) -> bytes:
    assert request.API is not None
    header = RequestHeader(
        request_api_key=request.API,
        request_api_version=version,
        correlation_id=1,
        client_id="good",
    )
    return encode(header, request_header_version(request.API, version)) + encode(request, version)


def _requests(api_key: ApiKey) -> Iterator[WorstRequest]:
    for version in API_TABLE[api_key].versions:
        yield from worst_requests(api_key, version, ELEMENTS)


def _memory_mib(process_id: int, name: str) -> float:
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1]) / _KIB_A_MIB


def _forget_peak(process_id: int) -> None:
    Path(f"/proc/{process_id}/clear_refs").write_text("5", encoding="ascii")


def main(address: str, process_id: int, api: str) -> None:
    """Measure one API."""
    topic = CreatableTopic(name=TOPIC, num_partitions=4, replication_factor=1)
    Client(address).ask(_frame(CreateTopicsRequest(topics=[topic], timeout_ms=1000), 5))
    good = GoodClient(address)
    good.start()
    stalls: dict[str, float] = {"": 0.0}  # some requests have no array
    memory: dict[str, float] = {"": 0.0}
    for name, frame in _requests(ApiKey[api]):
        _forget_peak(process_id)
        before_mib = _memory_mib(process_id, "VmRSS")
        good.longest_s = 0.0
        bad = Client(address)
        bad.ask(frame)
        bad.close()
        stalls[name] = good.longest_s * 1000
        allowed_mib = TIMES_THE_REQUEST * len(frame) / (1 << 20)
        memory[name] = _memory_mib(process_id, "VmHWM") - before_mib - allowed_mib
    print(
        json.dumps(
            {
                "stall_ms": dict([max(stalls.items(), key=lambda each: each[1])]),
                "memory_mib": dict([max(memory.items(), key=lambda each: each[1])]),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])

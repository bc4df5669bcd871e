"""Many raw members of one group, each with its own connection: they join, then rebalance.

    python -m bench.group_members BOOTSTRAP [--members 500]

Prints one JSON object. Gathering begins with the first JoinGroup of all members, and ends when all
have their assignments of one generation; heartbeats inform early members of a rebalance. In a
rebalance all members join at once and sync at once, from the first request to the last answer.
"""

import argparse
import json
import selectors
import socket
import struct
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final, Protocol, TypeVar

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from mockbroker.protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.wire.cluster import WireCluster

_REBALANCES: Final = 5
_TIMEOUT_S: Final = 60.0
_HEARTBEAT_S: Final = 0.05
_SESSION_MS: Final = 30_000
_METADATA_BYTES: Final = 64
_ASSIGNMENT: Final = bytes(32)
_VERSIONS: Final[Mapping[type[Message], int]] = {
    JoinGroupRequest: 5,
    SyncGroupRequest: 3,
    HeartbeatRequest: 3,
}
_SIZE: Final = struct.Struct(">i")

MessageT = TypeVar("MessageT", bound=Message)


class GroupMember:
    """One member on its connection, which sends one request at a time."""

    def __init__(self, address: tuple[str, int], group_id: str) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.asked: type[Message] | None = None
        self.member_id = ""
        self.generation_id = -1
        self.member_count = 0
        """Number of members in the leader's JoinGroup response; 0 for a follower."""
        self.is_assigned = False
        self.metadata = bytes(_METADATA_BYTES)
        self.group_id = group_id
        self._members: Sequence[str] = ()
        self._received = bytearray()

    # Requests

    def join(self) -> None:
        """Send a JoinGroup."""
        self.is_assigned = False
        self._send(
            JoinGroupRequest(
                group_id=self.group_id,
                session_timeout_ms=_SESSION_MS,
                rebalance_timeout_ms=_SESSION_MS,
                member_id=self.member_id,
                protocol_type="consumer",
                protocols=[JoinGroupRequestProtocol(name="range", metadata=self.metadata)],
            )
        )

    def sync(self) -> None:
        """Send a SyncGroup, with all assignments if this member is the leader."""
        self._send(
            SyncGroupRequest(
                group_id=self.group_id,
                generation_id=self.generation_id,
                member_id=self.member_id,
                assignments=[
                    SyncGroupRequestAssignment(member_id=each, assignment=_ASSIGNMENT)
                    for each in self._members
                ],
            )
        )

    def heartbeat(self) -> None:
        """Send a Heartbeat."""
        self._send(
            HeartbeatRequest(
                group_id=self.group_id,
                generation_id=self.generation_id,
                member_id=self.member_id,
            )
        )

    def _send(self, request: Message) -> None:
        self.asked = type(request)
        self.socket.sendall(framed(request, _VERSIONS[type(request)]))

    # Answers

    def receive(self) -> bytes | None:
        """Read available bytes, and return a response when it is complete."""
        return receive(self.socket, self._received)

    def take_join(self, answer: bytes) -> ErrorCode:
        """Process the answer to a JoinGroup."""
        response = read(answer, JoinGroupResponse, _VERSIONS[JoinGroupRequest])
        self.member_id, self.generation_id = response.member_id, response.generation_id
        self._members = [each.member_id for each in response.members]
        self.member_count = len(self._members)
        return ErrorCode(response.error_code)

    def take_sync(self, answer: bytes) -> ErrorCode:
        """Process the answer to a SyncGroup."""
        code = ErrorCode(read(answer, SyncGroupResponse, _VERSIONS[SyncGroupRequest]).error_code)
        self.is_assigned = code is ErrorCode.NONE
        return code

    def go_on(self, answer: bytes) -> None:
        """Run the next step of a joining member."""
        asked, self.asked = self.asked, None
        if asked is JoinGroupRequest:
            code = self.take_join(answer)
            self.sync() if code is ErrorCode.NONE else self.join()
            return
        if asked is SyncGroupRequest:
            code = self.take_sync(answer)
        else:
            version = _VERSIONS[HeartbeatRequest]
            code = ErrorCode(read(answer, HeartbeatResponse, version).error_code)
        if code is not ErrorCode.NONE:
            self.join()


def receive(connection: socket.socket, received: bytearray) -> bytes | None:
    """Read available bytes, and return a response when it is complete."""
    received += connection.recv(1 << 18)
    if len(received) < _SIZE.size:
        return None
    (size_bytes,) = _SIZE.unpack_from(received)
    if len(received) < _SIZE.size + size_bytes:
        return None
    answer = bytes(received[_SIZE.size :])
    received.clear()
    return answer


def framed(request: Message, version: int) -> bytes:
    """Encode a request after its size and its header."""
    assert request.API is not None
    header = RequestHeader(
        request_api_key=request.API,
        request_api_version=version,
        correlation_id=1,
        client_id="bench",
    )
    header_version = request_header_version(request.API, version)
    frame = encode(header, header_version) + encode(request, version)
    return _SIZE.pack(len(frame)) + frame


def read(answer: bytes, kind: type[MessageT], version: int) -> MessageT:
    """Decode an answer after its header."""
    assert kind.API is not None
    header_version = response_header_version(kind.API, version)
    header_bytes = len(encode(ResponseHeader(correlation_id=1), header_version))
    return decode(kind, version, answer, header_bytes)


def gather(members: Sequence[GroupMember]) -> None:
    """Let all members join, until all have an assignment of the same generation."""
    deadline = time.perf_counter() + _TIMEOUT_S
    with selectors.DefaultSelector() as selector:
        for member in members:
            selector.register(member.socket, selectors.EVENT_READ, member)
            member.join()
        while not is_gathered(members):
            if time.perf_counter() > deadline:
                raise SystemExit("the members did not gather")
            go_on_for(_HEARTBEAT_S, selector)
            let_the_idle_listen(members)
    for member in members:
        if member.asked is not None:  # the last heartbeat, whose answer is on its way
            await_answer(member)


def let_the_idle_listen(members: Sequence[GroupMember]) -> None:
    """Send heartbeats of the members without a pending request."""
    for member in members:
        if member.asked is None:
            member.heartbeat()


def go_on_for(seconds: float, selector: selectors.BaseSelector) -> None:
    """Run the next step of each member when its answer arrives."""
    until = time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0:
        for key, _ in selector.select(left):
            answer = key.data.receive()
            if answer is not None:
                key.data.go_on(answer)


def is_gathered(members: Sequence[GroupMember]) -> bool:
    """Return True if all members have an assignment, from a leader with all of them in its list."""
    return all(member.is_assigned for member in members) and any(
        member.member_count == len(members) for member in members
    )


def rebalance(members: Sequence[GroupMember]) -> None:
    """Let all members join at once, then sync at once.

    All send new metadata, because an unchanged JoinGroup could be answered too early.
    """
    steps: Sequence[
        tuple[Callable[[GroupMember], None], Callable[[GroupMember, bytes], ErrorCode]]
    ] = (
        (GroupMember.join, GroupMember.take_join),
        (GroupMember.sync, GroupMember.take_sync),
    )
    for member in members:
        member.metadata = bytes([member.metadata[0] + 1]) + member.metadata[1:]
    for ask, take in steps:
        for member in members:
            ask(member)
        for member in members:
            code = take(member, await_answer(member))
            if code is not ErrorCode.NONE:
                raise SystemExit(f"a member was told {code.name}")


class Receiver(Protocol):
    """A member that waits for an answer on its socket."""

    socket: socket.socket

    def receive(self) -> bytes | None:
        """Return a response when it is complete."""
        ...


def await_answer(member: Receiver) -> bytes:
    """Wait for a member's answer."""
    member.socket.settimeout(_TIMEOUT_S)
    while (answer := member.receive()) is None:
        pass
    return answer


def measure(bootstrap_servers: str, count: int) -> dict[str, float]:
    """Gather a group, and rebalance it several times."""
    host, _, port = bootstrap_servers.rpartition(":")
    address = (host, int(port))
    group_id = f"bench-{uuid.uuid4().hex[:12]}"
    with WireCluster(bootstrap_servers) as cluster:
        cluster.coordinator(group_id)  # waits for it
    members = [GroupMember(address, group_id) for _ in range(count)]
    began = time.perf_counter()
    gather(members)
    gathered_s = time.perf_counter() - began
    times_s: list[float] = []
    for _ in range(_REBALANCES):
        began = time.perf_counter()
        rebalance(members)
        times_s.append(time.perf_counter() - began)
    for member in members:
        member.socket.close()
    return {
        "gather_ms": gathered_s * 1000,
        "rebalance_ms": median(times_s) * 1000,
        "rebalance_max_ms": max(times_s) * 1000,
    }


def main() -> None:
    """Measure, and print the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.group_members")
    parser.add_argument("bootstrap_servers")
    parser.add_argument("--members", type=int, default=500)
    options = parser.parse_args()
    print(json.dumps({"members": measure(options.bootstrap_servers, options.members)}))


if __name__ == "__main__":
    main()

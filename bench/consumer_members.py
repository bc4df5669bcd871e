"""Many raw members of a group of the consumer protocol (KIP-848), each with its own connection.

    python -m bench.consumer_members BOOTSTRAP PROCESS_ID [--members 500] [--beside 1000]

Prints one JSON object. All members join a new group at once and send a heartbeat every 250 ms; the
time ends when each has the same epoch, and every partition has one owner. Then the heartbeats of
`--beside` members of a consumer and of a classic group are counted in CPU time of the broker.
"""

import argparse
import json
import selectors
import socket
import time
import uuid
from collections.abc import Sequence
from typing import Final

from bench.group_members import GroupMember, await_answer, framed, gather, read, receive
from bench.machine import cpu_seconds
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.wire.cluster import WireCluster

_HEARTBEAT_S: Final = 0.25
_TIMEOUT_S: Final = 120.0
_REBALANCE_MS: Final = 60_000
_VERSION: Final = 1
_ROUNDS: Final = 10
_ASSIGNMENT_INTERVAL_S: Final = 1.5
"""After that, a group that waits for its next assignment has it (KIP-1263)."""


class ConsumerMember:
    """One member on its connection, which owns at once what it is assigned."""

    def __init__(self, address: tuple[str, int], group_id: str, topic: str) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.member_epoch = 0
        self.partition_count = 0
        self.is_waiting = False
        self._next_s = 0.0
        self._member_id = str(uuid.uuid4())
        self._group_id = group_id
        self._topic = topic
        self._owned: list[TopicPartitions] | None = []
        self._received = bytearray()

    @property
    def has_news(self) -> bool:
        """True if the next heartbeat says what the member owns, as that has changed."""
        return self._owned is not None

    def is_due(self, now_s: float) -> bool:
        """Return True if it is time for a heartbeat, and the last one was answered."""
        return not self.is_waiting and self._next_s <= now_s

    def heartbeat(self) -> None:
        """Send a heartbeat: all fields to join, later only what has changed."""
        joins = self.member_epoch == 0
        request = ConsumerGroupHeartbeatRequest(
            group_id=self._group_id,
            member_id=self._member_id,
            member_epoch=self.member_epoch,
            rebalance_timeout_ms=_REBALANCE_MS if joins else -1,
            subscribed_topic_names=[self._topic] if joins else None,
            topic_partitions=self._owned,
        )
        self._owned = None
        self.is_waiting = True
        self._next_s = time.perf_counter() + _HEARTBEAT_S
        self.socket.sendall(framed(request, _VERSION))

    def receive(self) -> bytes | None:
        """Read available bytes, and return a response when it is complete."""
        return receive(self.socket, self._received)

    def take(self, answer: bytes) -> None:
        """Process the answer to a heartbeat."""
        response = read(answer, ConsumerGroupHeartbeatResponse, _VERSION)
        if response.error_code != ErrorCode.NONE:
            raise SystemExit(f"a member was told {ErrorCode(response.error_code).name}")
        self.is_waiting = False
        self.member_epoch = response.member_epoch
        if response.assignment is not None:
            self._owned = response.assignment.topic_partitions
            self.partition_count = sum(len(each.partitions) for each in self._owned)


def stabilize(members: Sequence[ConsumerMember]) -> None:
    """Let all members join, until each has the same epoch and every partition an owner."""
    deadline = time.perf_counter() + _TIMEOUT_S
    with selectors.DefaultSelector() as selector:
        for member in members:
            selector.register(member.socket, selectors.EVENT_READ, member)
        while not is_stable(members):
            now_s = time.perf_counter()
            if now_s > deadline:
                raise SystemExit("the members did not get a stable assignment")
            for member in (each for each in members if each.is_due(now_s)):
                member.heartbeat()
            take_answers(selector)
    for member in members:
        if member.is_waiting:  # the last heartbeat, whose answer is on its way
            member.take(await_answer(member))


def take_answers(selector: selectors.BaseSelector) -> None:
    """Process the answers that have come, or come soon."""
    for key, _ in selector.select(_HEARTBEAT_S / 10):
        answer = key.data.receive()
        if answer is not None:
            key.data.take(answer)


def is_stable(members: Sequence[ConsumerMember]) -> bool:
    """Return True if all members have one epoch, and as many partitions as there are members."""
    epochs = {member.member_epoch for member in members}
    owned = sum(member.partition_count for member in members)
    return len(epochs) == 1 and owned == len(members)


def cpu_of_heartbeats(members: Sequence[ConsumerMember | GroupMember], process_id: int) -> float:
    """Return the broker's CPU time for a heartbeat of a group that does not change, in us.

    All members ask before the first answer is read, so that the broker does not wait for us.
    """
    beat(members)
    time.sleep(_ASSIGNMENT_INTERVAL_S)
    beat(members)
    while any(isinstance(member, ConsumerMember) and member.has_news for member in members):
        beat(members)  # to confirm what they own
    before_s = cpu_seconds(process_id)
    for _ in range(_ROUNDS):
        beat(members)
    return (cpu_seconds(process_id) - before_s) / (_ROUNDS * len(members)) * 1e6


def beat(members: Sequence[ConsumerMember | GroupMember]) -> None:
    """Let each member send a heartbeat and take the answer."""
    for member in members:
        member.heartbeat()
    for member in members:
        answer = await_answer(member)
        if isinstance(member, ConsumerMember):
            member.take(answer)
        else:
            member.go_on(answer)


def consumer_group(
    cluster: WireCluster, address: tuple[str, int], count: int
) -> list[ConsumerMember]:
    """Connect the members of a new group, with a topic of as many partitions."""
    name = f"bench-{uuid.uuid4().hex[:12]}"
    cluster.create_topic(name, count)
    cluster.coordinator(name)  # waits for it
    return [ConsumerMember(address, name, name) for _ in range(count)]


def measure(
    bootstrap_servers: str, process_id: int, *, count: int, beside: int
) -> dict[str, float]:
    """Measure the way to a stable assignment, and heartbeats."""
    host, _, port = bootstrap_servers.rpartition(":")
    address = (host, int(port))
    with WireCluster(bootstrap_servers) as cluster:
        members = consumer_group(cluster, address, count)
        began = time.perf_counter()
        stabilize(members)
        stable_s = time.perf_counter() - began
        consumers = consumer_group(cluster, address, beside)
        stabilize(consumers)
        classic = [GroupMember(address, f"classic-{uuid.uuid4().hex[:12]}")]
        classic += [GroupMember(address, classic[0].group_id) for _ in range(beside - 1)]
        gather(classic)
        values = {
            "stable_ms": stable_s * 1000,
            "consumer_heartbeat_us": cpu_of_heartbeats(consumers, process_id),
            "classic_heartbeat_us": cpu_of_heartbeats(classic, process_id),
        }
    for each in (*members, *consumers):
        each.socket.close()
    for member in classic:
        member.socket.close()
    return values


def main() -> None:
    """Measure, and print the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.consumer_members")
    parser.add_argument("bootstrap_servers")
    parser.add_argument("process_id", type=int)
    parser.add_argument("--members", type=int, default=500)
    parser.add_argument("--beside", type=int, default=1000)
    options = parser.parse_args()
    values = measure(
        options.bootstrap_servers,
        options.process_id,
        count=options.members,
        beside=options.beside,
    )
    print(json.dumps({"members": values}))


if __name__ == "__main__":
    main()

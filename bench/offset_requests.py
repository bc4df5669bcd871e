"""Raw offset requests on one connection: commits at a steady rate, and ListOffsets.

    python -m bench.offset_requests BOOTSTRAP [--per-s 2000] [--seconds 3]

Prints one JSON object. A commit's time is counted from when it was due, so that one which waits
behind a slow one is slow as well.
"""

import argparse
import json
import socket
import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Final, Self

from bench.group_members import framed, read
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.wire.cluster import WireCluster

_TOPIC: Final = "offset-requests"
_GROUP: Final = "offset-requests"
_COMMIT_VERSION: Final = 7
_LIST_VERSION: Final = 5
_CREATE_VERSION: Final = 4
_LATEST: Final = -1
_SIZE_BYTES: Final = 4
_LISTS: Final = 4_000
_WARM_UP: Final = 500


class Connection:
    """A connection that has one request under way at a time."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")

    def ask(self, request: bytes) -> bytes:
        """Send a request, and wait for its answer."""
        self._socket.sendall(request)
        size_bytes = int.from_bytes(self._answers.read(_SIZE_BYTES))
        return self._answers.read(size_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self._socket.close()


def commit_request() -> bytes:
    """Build the commit of one partition."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=5, committed_metadata=""
    )
    topics = [OffsetCommitRequestTopic(name=_TOPIC, partitions=[partition])]
    return framed(OffsetCommitRequest(group_id=_GROUP, topics=topics), _COMMIT_VERSION)


def list_request() -> bytes:
    """Build a ListOffsets for the end of one partition, as Spark sends it for every batch."""
    partition = ListOffsetsPartition(partition_index=0, timestamp=_LATEST)
    topics = [ListOffsetsTopic(name=_TOPIC, partitions=[partition])]
    return framed(ListOffsetsRequest(replica_id=-1, topics=topics), _LIST_VERSION)


def prepare(connection: Connection, bootstrap: str) -> None:
    """Create the topic and the group, and wait until both are served."""
    topic = CreatableTopic(name=_TOPIC, num_partitions=1, replication_factor=1)
    create = CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
    connection.ask(framed(create, _CREATE_VERSION))
    with WireCluster(bootstrap) as cluster:
        cluster.coordinator(_GROUP)  # waits for it
    await_no_error(
        lambda: (
            read(connection.ask(commit_request()), OffsetCommitResponse, _COMMIT_VERSION)
            .topics[0]
            .partitions[0]
            .error_code
        )
    )
    await_no_error(
        lambda: (
            read(connection.ask(list_request()), ListOffsetsResponse, _LIST_VERSION)
            .topics[0]
            .partitions[0]
            .error_code
        )
    )


def await_no_error(ask: Callable[[], int], timeout_s: float = 10.0) -> None:
    """Repeat a request until the answer has no error."""
    deadline = time.perf_counter() + timeout_s
    while (code := ask()) != ErrorCode.NONE:
        assert time.perf_counter() < deadline, ErrorCode(code)


def paced_us(connection: Connection, request: bytes, per_s: int, count: int) -> list[float]:
    """Send a request at a steady rate; return the time from schedule to response of each."""
    took: list[float] = []
    begin = time.perf_counter()
    for number in range(count):
        due = begin + number / per_s
        while time.perf_counter() < due:
            pass
        connection.ask(request)
        took.append((time.perf_counter() - due) * 1e6)
    return took


def timed_us(connection: Connection, request: bytes, count: int) -> list[float]:
    """Send a request repeatedly; return the time of each."""
    took: list[float] = []
    for _ in range(count):
        begin = time.perf_counter()
        connection.ask(request)
        took.append((time.perf_counter() - begin) * 1e6)
    return took


def measure(bootstrap: str, per_s: int, seconds: float) -> dict[str, float]:
    """Measure commits and ListOffsets of one broker."""
    host, _, port = bootstrap.rpartition(":")
    with Connection((host, int(port))) as connection:
        prepare(connection, bootstrap)
        commit, ends = commit_request(), list_request()
        timed_us(connection, commit, _WARM_UP)
        paced = paced_us(connection, commit, per_s, int(per_s * seconds))
        alone = timed_us(connection, commit, int(per_s * seconds))
        timed_us(connection, ends, _WARM_UP)
        lists = timed_us(connection, ends, _LISTS)
    return {
        "commit_p99_ms": quantiles(paced, n=100)[98] / 1000,
        "commit_p50_us": median(alone),
        "list_p50_ms": median(lists) / 1000,
    }


def main() -> None:
    """Run the measurement of the command line, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bootstrap")
    parser.add_argument("--per-s", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    values = measure(arguments.bootstrap, arguments.per_s, arguments.seconds)
    print(json.dumps({"offsets": values}))


if __name__ == "__main__":
    main()

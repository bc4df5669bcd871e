"""Views of replicas by real brokers: metadata, and the bounds of each replica's own log."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.wire import WireClient

DEBUGGING_REPLICA_ID: Final = -2
"""The replica id with which every replica answers for its own log, up to its end."""
EARLIEST: Final = -2
LATEST: Final = -1


@dataclass(frozen=True, slots=True)
class ReplicaOf:
    """A partition in one broker's metadata."""

    topic: str
    partition: int
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LogBounds:
    """Start and end of a replica's log."""

    start: int
    end: int


Bounds: TypeAlias = Mapping[tuple[str, int], LogBounds]
"""The bounds of a broker's logs, by topic and partition."""


def view_of(port: int) -> list[ReplicaOf] | None:
    """Return the partitions in a broker's metadata; None if it does not answer."""
    request = MetadataRequest(topics=None, allow_auto_topic_creation=False)
    try:
        with WireClient(f"127.0.0.1:{port}", timeout_s=5.0) as client:
            version = client.newest_version(ApiKey.METADATA, range(10))
            answer = client.ask(request, version, MetadataResponse)
    except (OSError, DecodeError):
        return None
    return sorted(
        (
            ReplicaOf(
                topic=topic.name or "",
                partition=each.partition_index,
                leader=each.leader_id,
                leader_epoch=each.leader_epoch,
                replicas=tuple(each.replica_nodes),
                in_sync=tuple(sorted(each.isr_nodes)),
            )
            for topic in answer.topics
            if not topic.is_internal
            for each in topic.partitions
        ),
        key=lambda each: (each.topic, each.partition),
    )


def bounds_of(port: int, held: Sequence[ReplicaOf]) -> Bounds:
    """Ask a broker for the start and the end of the logs of its own replicas."""
    with (
        contextlib.suppress(OSError, DecodeError),
        WireClient(f"127.0.0.1:{port}", timeout_s=5.0) as client,
    ):
        starts, ends = (_offsets(client, held, timestamp) for timestamp in (EARLIEST, LATEST))
        return {
            place: LogBounds(starts[place], ends[place]) for place in starts.keys() & ends.keys()
        }
    return {}


def _offsets(
    client: WireClient, of: Sequence[ReplicaOf], timestamp: int
) -> dict[tuple[str, int], int]:
    request = ListOffsetsRequest(
        replica_id=DEBUGGING_REPLICA_ID,
        topics=[
            ListOffsetsTopic(
                name=each.topic,
                partitions=[
                    ListOffsetsPartition(partition_index=each.partition, timestamp=timestamp)
                ],
            )
            for each in of
        ],
    )
    return {
        (topic.name, each.partition_index): each.offset
        for topic in client.ask(request, 1, ListOffsetsResponse).topics
        for each in topic.partitions
        if not each.error_code
    }

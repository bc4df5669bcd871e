"""Incremental fetch sessions: the partitions of a consumer, and the state it knows of each.

Rules (KIP-227, KIP-516):

1. A session lists partitions with the consumer's latest fetch positions, and the values that it was
   last sent for each. A full request (session epoch 0) creates it, if there is room; every
   incremental request carries the session id and the next session epoch.
2. An incremental response contains a partition only if it has records, an error, a field that is
   sent only once (a diverging epoch, a preferred replica), or a new high watermark or log start
   offset. A new last stable offset alone is no reason.
3. A partition that returned records moves to the end of the session, so that none starves when
   responses are full. Old releases move every partition of a response: `rotates_all_news`.
4. A full request closes the session that it names; session epoch -1 only closes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self, TypeAlias
from uuid import UUID

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import ZERO_UUID

INVALID_SESSION_ID: Final = 0
INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
MAX_EPOCH: Final = (1 << 31) - 1

PartitionKey: TypeAlias = tuple[UUID | str, int]
"""Key of a partition in a session: by topic id if the session uses ids, else by name."""


def partition_key(topic_id: UUID, topic: str | None, partition: int) -> PartitionKey:
    """Return the key of a partition in a session, by topic id if there is one."""
    if topic_id != ZERO_UUID or topic is None:
        return (topic_id, partition)
    return (topic, partition)


def next_session_epoch(session_epoch: int) -> int:
    """Return the next session epoch: after 2^31-1 it is 1, because 0 marks a full request."""
    return 1 if session_epoch == MAX_EPOCH else session_epoch + 1


class FetchedPartition:
    """The result of a fetch for one partition, as far as sessions use it."""

    __slots__ = (
        "error_code",
        "high_watermark",
        "key",
        "log_start_offset",
        "must_be_sent",
        "size_bytes",
    )

    def __init__(
        self,
        key: PartitionKey,
        *,
        high_watermark: int = -1,
        log_start_offset: int = -1,
        size_bytes: int = 0,
        error_code: ErrorCode = ErrorCode.NONE,
        must_be_sent: bool = False,
    ) -> None:
        """Create it; `must_be_sent` for a diverging epoch or a preferred replica."""
        self.key = key
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset
        self.size_bytes = size_bytes
        self.error_code = error_code
        self.must_be_sent = must_be_sent


class FetchPartition:
    """A session's partition: request and last response (Kafka's `CachedPartition`).

    `topic` is None while no topic has the id. Epochs are -1 if the request has none.
    """

    __slots__ = (
        "current_leader_epoch",
        "fetch_offset",
        "high_watermark",
        "last_fetched_epoch",
        "log_start_offset",
        "max_bytes",
        "partition",
        "topic",
        "topic_id",
    )

    def __init__(
        self,
        topic: str | None,
        topic_id: UUID,
        partition: int,
        *,
        fetch_offset: int,
        max_bytes: int,
        current_leader_epoch: int = -1,
        last_fetched_epoch: int = -1,
    ) -> None:
        """Create it from a partition of a fetch request, without a response."""
        self.topic = topic
        self.topic_id = topic_id
        self.partition = partition
        self.fetch_offset = fetch_offset
        self.max_bytes = max_bytes
        self.current_leader_epoch = current_leader_epoch
        self.last_fetched_epoch = last_fetched_epoch
        self.high_watermark = -1
        self.log_start_offset = -1

    @property
    def key(self) -> PartitionKey:
        """The partition's key in a session."""
        return partition_key(self.topic_id, self.topic, self.partition)

    def update_request(self, wish: Self) -> None:
        """Apply the fields of a later request."""
        self.fetch_offset = wish.fetch_offset
        self.max_bytes = wish.max_bytes
        self.current_leader_epoch = wish.current_leader_epoch
        self.last_fetched_epoch = wish.last_fetched_epoch

    def has_news(self, fetched: FetchedPartition) -> bool:
        """Return whether the response must contain this result, and record it as sent."""
        is_new = (
            fetched.size_bytes > 0
            or fetched.must_be_sent
            or fetched.error_code != ErrorCode.NONE
            or fetched.high_watermark != self.high_watermark
            or fetched.log_start_offset != self.log_start_offset
        )
        self.note_sent(fetched)
        return is_new

    def note_sent(self, fetched: FetchedPartition) -> None:
        """Record the values that the consumer knows after this response.

        An error resets the high watermark, so that the next successful result is sent.
        """
        is_good = fetched.error_code == ErrorCode.NONE
        self.high_watermark = fetched.high_watermark if is_good else -1
        self.log_start_offset = fetched.log_start_offset


class FetchSession:
    """A consumer's session at one broker (Kafka's class of the same name).

    `partitions` has the order of the next read.
    """

    __slots__ = (
        "created_ms",
        "is_evictable",
        "last_used_ms",
        "partitions",
        "session_epoch",
        "session_id",
        "uses_topic_ids",
    )

    def __init__(
        self,
        session_id: int,
        partitions: dict[PartitionKey, FetchPartition],
        *,
        uses_topic_ids: bool,
        now_ms: int,
    ) -> None:
        """Start a session with its full request."""
        self.session_id = session_id
        self.partitions = partitions
        self.uses_topic_ids = uses_topic_ids
        self.created_ms = now_ms
        self.last_used_ms = now_ms
        self.is_evictable = False
        self.session_epoch = next_session_epoch(INITIAL_EPOCH)

    def update(
        self, wishes: Mapping[PartitionKey, FetchPartition], forgotten: Iterable[PartitionKey]
    ) -> None:
        """Apply an incremental request: update, append and remove partitions."""
        for key, wish in wishes.items():
            known = self.partitions.setdefault(key, wish)
            if known is not wish:
                known.update_request(wish)
        for key in forgotten:
            self.partitions.pop(key, None)

    def select(self, fetched: Sequence[FetchedPartition], *, rotates_all_news: bool) -> list[int]:
        """Return the indexes of an incremental response's results, and record them as sent."""
        selected: list[int] = []
        for index, answer in enumerate(fetched):
            partition = self.partitions.get(answer.key)
            if partition is None or not partition.has_news(answer):
                continue
            selected.append(index)
            if rotates_all_news or answer.size_bytes > 0:
                self.partitions[answer.key] = self.partitions.pop(answer.key)
        return selected

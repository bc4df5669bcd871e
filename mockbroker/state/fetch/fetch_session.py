"""Incremental fetch sessions: what a consumer need not repeat, and what need not be answered again.

The laws (KIP-227, KIP-516):

1. A session is a list of partitions with the consumer's last wishes, and what it was last told of
   each. It is created by a full request (session epoch 0), if there is room; every incremental
   request names the session and the next session epoch.
2. An incremental answer holds a partition only if it has records, an error, something only this
   answer says (a diverging epoch, a preferred replica), or a high watermark or log start offset
   that the consumer has not been told. The last stable offset alone is no reason.
3. A partition that gave records moves to the end of the session, so that none starves when an
   answer is full. Old releases move every partition that was answered: `rotates_all_news`.
4. A full request ends the session that it names; session epoch -1 only does that.
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
"""A partition inside one session: by topic id where the session uses ids, else by name."""


def partition_key(topic_id: UUID, topic: str | None, partition: int) -> PartitionKey:
    """Return what a partition is known by in a session: its topic's id, or the name without one."""
    if topic_id != ZERO_UUID or topic is None:
        return (topic_id, partition)
    return (topic, partition)


def next_session_epoch(session_epoch: int) -> int:
    """Return the epoch that follows: after 2^31-1 it is 1, since 0 means a full request."""
    return 1 if session_epoch == MAX_EPOCH else session_epoch + 1


class FetchedPartition:
    """What was found for one partition of a fetch, as far as sessions care."""

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
        """Take the answer's numbers; `must_be_sent` for a diverging epoch or preferred replica."""
        self.key = key
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset
        self.size_bytes = size_bytes
        self.error_code = error_code
        self.must_be_sent = must_be_sent


class FetchPartition:
    """What a consumer wants of a partition, and what it was told (Kafka's `CachedPartition`).

    `topic` is None while no topic has the id. Epochs are -1 where the request has none.
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
        """Take a partition of a fetch request; nothing was told of it yet."""
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
        """What it is known by in a session."""
        return partition_key(self.topic_id, self.topic, self.partition)

    def update_request(self, wish: Self) -> None:
        """Take over what a later request wants."""
        self.fetch_offset = wish.fetch_offset
        self.max_bytes = wish.max_bytes
        self.current_leader_epoch = wish.current_leader_epoch
        self.last_fetched_epoch = wish.last_fetched_epoch

    def has_news(self, fetched: FetchedPartition) -> bool:
        """Tell whether the consumer must hear of this, and note what it then knows."""
        is_new = (
            fetched.size_bytes > 0
            or fetched.must_be_sent
            or fetched.error_code != ErrorCode.NONE
            or fetched.high_watermark != self.high_watermark
            or fetched.log_start_offset != self.log_start_offset
        )
        self.note_told(fetched)
        return is_new

    def note_told(self, fetched: FetchedPartition) -> None:
        """Note what the consumer knows once it has this answer.

        After an error the high watermark counts as untold, so that the first good answer is sent.
        """
        is_good = fetched.error_code == ErrorCode.NONE
        self.high_watermark = fetched.high_watermark if is_good else -1
        self.log_start_offset = fetched.log_start_offset


class FetchSession:
    """A consumer's session at one broker (Kafka's class of the same name).

    `partitions` is in the order in which they are read next.
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
        """Start a session whose full request is being answered."""
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
        """Take in an incremental request: new wishes, new partitions at the end, and fewer."""
        for key, wish in wishes.items():
            known = self.partitions.setdefault(key, wish)
            if known is not wish:
                known.update_request(wish)
        for key in forgotten:
            self.partitions.pop(key, None)

    def select(self, fetched: Sequence[FetchedPartition], *, rotates_all_news: bool) -> list[int]:
        """Return the indexes of what goes into an incremental answer, and note that it was told."""
        selected: list[int] = []
        for index, answer in enumerate(fetched):
            partition = self.partitions.get(answer.key)
            if partition is None or not partition.has_news(answer):
                continue
            selected.append(index)
            if rotates_all_news or answer.size_bytes > 0:
                self.partitions[answer.key] = self.partitions.pop(answer.key)
        return selected

"""Read the partitions of a fetch, within its limits (KIP-74)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.broker.authorization.topic_rights import topic_refusal
from mockbroker.broker.call import Call
from mockbroker.broker.handlers.record_versions import (
    LAST_WITH_HARD_LIMIT,
    ConversionWay,
    records_for_fetch,
    refuse_new_codec,
)
from mockbroker.broker.partitions import led_partition, local_log, readable_partition
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import ZERO_UUID, Buffer, BufferChain
from mockbroker.state.config.topic_config import TopicConfig
from mockbroker.state.fetch.fetch_session import FetchPartition
from mockbroker.state.log.leader_epoch_cache import UNDEFINED_EPOCH, EpochEndOffset
from mockbroker.state.log.log_segments import LogSlice
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.transaction_index import AbortedTxn
from mockbroker.state.release.options import Options
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.topic import Partition

FIRST_FROM_FOLLOWERS: Final = 11
"""First version in which a consumer may read from any replica (KIP-392)."""

INDEX_INTERVAL_BYTES: Final = 4096
"""Default distance between entries of Kafka's offset index (`index.interval.bytes`)."""

_NOT_SAID: Final = -1


class FetchLimits(NamedTuple):
    """Limits of a whole fetch request."""

    max_bytes: int
    min_bytes: int
    is_read_committed: bool


class PartitionRead:
    """Result of reading one partition: offsets, and batches that are not copied."""

    __slots__ = (
        "_config",
        "_slice",
        "aborted",
        "diverging",
        "error_code",
        "high_watermark",
        "is_read_committed",
        "last_stable_offset",
        "log_start_offset",
        "wish",
    )

    def __init__(self, wish: FetchPartition) -> None:
        """Start with an empty result."""
        self.wish = wish
        self.error_code = ErrorCode.NONE
        self.high_watermark = _NOT_SAID
        self.last_stable_offset = _NOT_SAID
        self.log_start_offset = _NOT_SAID
        self.is_read_committed = False
        self.aborted: list[AbortedTxn] | None = []
        """Aborted transactions for a read_committed consumer; None if no whole batch fitted."""
        self.diverging: EpochEndOffset | None = None
        self._config: TopicConfig | None = None
        self._slice: LogSlice | None = None

    @property
    def size_bytes(self) -> int:
        """Total size of the batches."""
        return 0 if self._slice is None else self._slice.size_bytes

    @property
    def is_of_older_segment(self) -> bool:
        """True if the next segment has more, so that waiting for more bytes is pointless."""
        return self._slice is not None and self._slice.is_of_older_segment

    def take(
        self, log: PartitionLog, found: LogSlice, config: TopicConfig, *, is_read_committed: bool
    ) -> None:
        """Store the slice and the offsets of a log."""
        self.note(log)
        self.is_read_committed = is_read_committed
        self._config = config
        self._slice = found

    def note(self, log: PartitionLog) -> None:
        """Store the offsets of a log."""
        self.high_watermark = log.high_watermark
        self.last_stable_offset = log.last_stable_offset
        self.log_start_offset = log.log_start_offset

    def records(self, api_version: int, options: Options) -> Buffer | BufferChain:
        """Return the batches in the format of a Fetch version; old versions need old formats.

        Raises:
            ApiError: as `records_for_fetch`.

        """
        if self._slice is None or self._config is None or not self._slice.buffers:
            return b""
        chain = BufferChain(self._slice.buffers, self._slice.size_bytes)
        way = ConversionWay(
            pads=options.fetch.pads_converted,
            refuses_headers=options.fetch.conversion_refuses_headers,
        )
        return records_for_fetch(chain, api_version, self.wish, self._config, way)


def read_partitions(
    call: Call, wishes: Sequence[FetchPartition], limits: FetchLimits
) -> list[PartitionRead]:
    """Read the partitions in order, until the request's `max_bytes` are used up.

    The first batch is returned whatever its size, so that a consumer always makes progress; except
    to the oldest consumers, whose limit is a hard one (KIP-74).
    """
    left_bytes = limits.max_bytes
    reads: list[PartitionRead] = []
    is_empty = call.api_version > LAST_WITH_HARD_LIMIT
    for wish in call.paced(wishes):
        read = PartitionRead(wish)
        try:
            _read(call, read, limits, left_bytes, at_least_one=is_empty)
        except ApiError as refusal:
            call.service.refusals.note(
                "fetch_refused", refusal, topic=wish.topic, partition=wish.partition
            )
            read.error_code = refusal.code
        left_bytes -= read.size_bytes
        is_empty = is_empty and not read.size_bytes
        reads.append(read)
    return reads


def _read(
    call: Call, read: PartitionRead, limits: FetchLimits, left_bytes: int, *, at_least_one: bool
) -> None:
    wish = read.wish
    partition = _open(call, wish)
    log = local_log(call, partition)
    if wish.last_fetched_epoch != UNDEFINED_EPOCH:
        read.diverging = _divergence(log, wish)
        if read.diverging is not None:
            read.note(log)
            return
    is_committed = limits.is_read_committed
    up_to_offset = log.last_stable_offset if is_committed else log.high_watermark
    found = log.read(
        wish.fetch_offset,
        max_bytes=min(wish.max_bytes, max(0, left_bytes)),
        up_to_offset=up_to_offset,
        at_least_one=at_least_one,
    )
    if found.first_entry_incomplete and not _gives_partial_batches(call):
        found = LogSlice([], 0, wish.fetch_offset)
        read.aborted = None
    elif is_committed and _lists_aborted(call, log, wish.fetch_offset, up_to_offset):
        read.aborted = log.aborted_transactions(
            wish.fetch_offset, _upper_bound(log, wish.fetch_offset, found, up_to_offset)
        )
    read.take(log, found, partition.config, is_read_committed=is_committed)


def _lists_aborted(call: Call, log: PartitionLog, fetch_offset: int, stable_offset: int) -> bool:
    options = call.cluster.options.fetch
    if fetch_offset < stable_offset or fetch_offset == log.log_end_offset:
        return fetch_offset < stable_offset
    if fetch_offset == stable_offset:
        return options.lists_aborted_where_unstable
    return options.lists_aborted_beyond_stable


def _gives_partial_batches(call: Call) -> bool:
    is_limit_hard = call.api_version <= LAST_WITH_HARD_LIMIT
    return is_limit_hard and call.cluster.options.fetch.gives_partial_batches


def _upper_bound(log: PartitionLog, fetch_offset: int, found: LogSlice, up_to_offset: int) -> int:
    """Return the offset up to which to list aborted transactions: roughly the end of the slice.

    Kafka only has a sparse index to find the offset after a fetch, and uses the segment's end if no
    entry follows. Either way, readers ignore transactions of records that they did not receive.
    """
    last_offset = max(fetch_offset, found.next_offset - 1)
    segment, following_offset = log.segments.segment_of(last_offset)
    if found.next_offset >= up_to_offset or segment.size_bytes <= INDEX_INTERVAL_BYTES:
        return log.log_end_offset if following_offset is None else following_offset
    return found.next_offset


def _open(call: Call, wish: FetchPartition) -> Partition:
    if wish.topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, f"no topic has the id {wish.topic_id}")
    if not call.allows(AclOperation.READ, AclResource.TOPIC, wish.topic):
        raise ApiError(topic_refusal(call, wish.topic), wish.topic)
    _refuse_old_id(call, wish.topic, wish)
    may_follow = (
        call.api_version >= FIRST_FROM_FOLLOWERS and call.cluster.options.fetch.from_followers
    )
    find = readable_partition if may_follow else led_partition
    partition = find(call, wish.topic, wish.partition, wish.current_leader_epoch)
    refuse_new_codec(partition.config.compression_type, call.api_version)
    return partition


def _refuse_old_id(call: Call, name: str, wish: FetchPartition) -> None:
    """Refuse a partition of a fetch session whose topic was deleted and created again.

    Raises:
        ApiError: INCONSISTENT_TOPIC_ID, from a broker that hosts the new topic.

    """
    topic = call.cluster.topics.by_name.get(name)
    if topic is None or wish.topic_id in (topic.topic_id, ZERO_UUID):
        return
    partition = topic.partition(wish.partition)
    if partition is not None and call.broker_id in partition.replicas:
        raise ApiError(
            ErrorCode.INCONSISTENT_TOPIC_ID,
            f"{name} has the id {topic.topic_id}, the fetch session has {wish.topic_id}",
        )


def _divergence(log: PartitionLog, wish: FetchPartition) -> EpochEndOffset | None:
    """Find the offset at which the reader's log diverges (KIP-595, also for consumers)."""
    end = log.end_offset_for_epoch(wish.last_fetched_epoch)
    if end.leader_epoch == UNDEFINED_EPOCH:
        raise ApiError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"{log.topic_partition} has no leader epoch {wish.last_fetched_epoch}",
        )
    if end.leader_epoch < wish.last_fetched_epoch or end.end_offset < wish.fetch_offset:
        return end
    return None

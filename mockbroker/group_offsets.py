"""What OffsetCommit, TxnOffsetCommit and OffsetFetch have in common: a group and its coordinator.

Groups here have no members yet: they are what Kafka calls simple consumer groups.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from mockbroker.call import Call
from mockbroker.offset_commit_records import (
    NOBODY,
    OffsetToCommit,
    TransactionalProducer,
    build_offset_commits,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import stamp
from mockbroker.protocol.types import TopicPartition, Uuid
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata
from mockbroker.state.log.verification_state_entry import VerificationGuard
from mockbroker.state.topic.in_sync_replicas import has_enough_replicas
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition, Topic
from mockbroker.state.transaction.transaction_log import APPEND_REFUSALS

_UNKNOWN: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})

METADATA_BYTES_MAX: Final = "offset.metadata.max.bytes"
RETENTION_MINUTES: Final = "offsets.retention.minutes"
DEFAULT_RETENTION_TIME: Final = -1
_LAST_EXPIRING_VALUE_VERSION: Final = 1
_MINUTE_MS: Final = 60_000

_AS_GROUPS_KNOW: Final = {
    **APPEND_REFUSALS,
    ErrorCode.NETWORK_EXCEPTION: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
}
"""What a group's client is told when its coordinator could not write."""


class AskedPartition(Protocol):
    """An offset as requests of groups give it."""

    partition_index: int
    committed_offset: int
    committed_leader_epoch: int
    committed_metadata: str | None


class NamedTopic(Protocol):
    """A topic as requests of groups name it: by its name or, in the newest versions, its id."""

    name: str
    topic_id: Uuid


class AskedTopic(NamedTopic, Protocol):
    """A topic with offsets."""

    @property
    def partitions(self) -> Sequence[AskedPartition]:
        """The offsets for its partitions."""
        ...


TopicKey: TypeAlias = tuple[str, Uuid]
"""What an answer calls a topic: as the request did."""


class SortedCommits(NamedTuple):
    """The offsets of a request that can be committed, and a code for each that it names."""

    offsets: list[OffsetToCommit]
    codes: dict[TopicKey, dict[int, ErrorCode]]
    """In the order of the answer: what is not known comes first, as in Kafka."""

    def refuse(self, code: ErrorCode) -> None:
        """Let all that would have been committed be answered with a code."""
        for of_topic in self.codes.values():
            for index, known in of_topic.items():
                if known not in _UNKNOWN:
                    of_topic[index] = code


def sort_out(call: Call, topics: Sequence[AskedTopic], *, by_id: bool) -> SortedCommits:
    """Sort the offsets of a request by whether they can be committed."""
    needs_partition = call.cluster.options.transactions.offsets_need_partition
    codes: dict[TopicKey, dict[int, ErrorCode]] = {}
    known: list[tuple[TopicKey, Topic, AskedPartition]] = []
    for asked in topics:
        topic = topic_of(call, asked, by_id=by_id)
        key = (asked.name, asked.topic_id)
        for partition in asked.partitions:
            if isinstance(topic, Topic) and (
                topic.partition(partition.partition_index) or not needs_partition
            ):
                known.append((key, topic, partition))
            else:
                missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                code = missing if isinstance(topic, Topic) else topic
                codes.setdefault(key, {})[partition.partition_index] = code
    offsets: list[OffsetToCommit] = []
    for key, topic, partition in known:
        index = partition.partition_index
        code = ErrorCode.NONE
        if is_too_large(call, partition.committed_metadata):
            code = ErrorCode.OFFSET_METADATA_TOO_LARGE
        else:
            offsets.append(_offset_of(topic, partition))
        codes.setdefault(key, {})[index] = code
    return SortedCommits(offsets, codes)


def _offset_of(topic: Topic, partition: AskedPartition) -> OffsetToCommit:
    return OffsetToCommit(
        TopicPartition(topic.name, partition.partition_index),
        topic.topic_id,
        partition.committed_offset,
        partition.committed_leader_epoch,
        partition.committed_metadata or "",
    )


def as_groups_know(refusal: ApiError) -> ApiError:
    """Return a refusal of the log, or of who verifies, in codes of the group APIs."""
    return ApiError(_AS_GROUPS_KNOW.get(refusal.code, refusal.code), refusal.why)


def home_of(call: Call, group_id: str) -> Partition:
    """Return the partition of `__consumer_offsets` that holds a group, which the broker leads.

    Raises:
        ApiError: NOT_COORDINATOR.

    """
    index = coordinator_partition(CONSUMER_OFFSETS, group_id, call.cluster.configs)
    partition = call.cluster.partition(CONSUMER_OFFSETS, index)
    if partition is None or partition.leader_id != call.broker_id:
        raise ApiError(
            ErrorCode.NOT_COORDINATOR,
            f"broker {call.broker_id} does not lead {CONSUMER_OFFSETS}-{index} of {group_id!r}",
        )
    return partition


def topic_of(call: Call, asked: NamedTopic, *, by_id: bool) -> Topic | ErrorCode:
    """Find a topic by what a request calls it; say how it is missed where there is none."""
    if by_id:
        return call.cluster.topics.by_id(asked.topic_id) or ErrorCode.UNKNOWN_TOPIC_ID
    return call.cluster.topics.get(asked.name) or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def check_group(
    call: Call, group_id: str, generation_id: int, member_id: str, *, unknown: ErrorCode
) -> None:
    """Check that somebody who is no member may commit for a group.

    Raises:
        ApiError: `unknown` for a generation of a group that has none, UNKNOWN_MEMBER_ID.

    """
    if generation_id < 0:
        return
    if group_id not in call.cluster.group_offsets:
        raise ApiError(unknown, f"group {group_id!r} has no generation {generation_id}")
    raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"group {group_id!r} has no member {member_id!r}")


def is_too_large(call: Call, metadata: str | None) -> bool:
    """Tell whether the text beside an offset is longer than the broker keeps."""
    allowed = call.cluster.configs.broker_integer(METADATA_BYTES_MAX, call.broker_id)
    return metadata is not None and len(metadata) > allowed


def commit_offsets(
    call: Call,
    home: Partition,
    group_id: str,
    offsets: Sequence[OffsetToCommit],
    *,
    producer: TransactionalProducer = NOBODY,
    verification_guard: VerificationGuard | None = None,
    retention_time_ms: int = DEFAULT_RETENTION_TIME,
) -> None:
    """Write a group's offsets to its partition; in a transaction they count from its end on.

    Raises:
        ApiError: NOT_ENOUGH_REPLICAS, and as `PartitionLog.append`.

    """
    cluster, now_ms = call.cluster, call.now_ms
    if not offsets:
        return
    if not has_enough_replicas(cluster.options, home):
        raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS, f"{home.topic_partition}")
    header, batch = build_offset_commits(
        group_id,
        _expiring(call, offsets, retention_time_ms),
        producer,
        value_version=cluster.options.offset_commit_value_version,
        now_ms=now_ms,
        timestamp_type=home.config.message_timestamp_type,
    )
    info = cluster.log_of(home, now_ms).append(
        header,
        batch,
        leader_epoch=home.leader_epoch,
        now_ms=now_ms,
        verification_guard=verification_guard,
        is_from_client=False,
    )
    stamp(batch, 0, info.base_offset, home.leader_epoch)
    manager, index = cluster.group_offsets, home.topic_partition.partition
    for record_offset, offset in enumerate(offsets, info.base_offset):
        kept = _kept(offset, now_ms, record_offset)
        if producer is NOBODY:
            manager.commit(group_id, offset.partition, kept)
        else:
            manager.commit_in_transaction(
                index, producer.producer_id, group_id, offset.partition, kept
            )
    cluster.appended(home)


def _kept(offset: OffsetToCommit, now_ms: int, record_offset: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(
        offset.offset, offset.leader_epoch, offset.metadata, now_ms, record_offset=record_offset
    )


def _expiring(
    call: Call, offsets: Sequence[OffsetToCommit], retention_time_ms: int
) -> Sequence[OffsetToCommit]:
    """Tell each offset when it expires; since 2.1 that is a matter of its group (KIP-211)."""
    if call.cluster.options.offset_commit_value_version > _LAST_EXPIRING_VALUE_VERSION:
        return offsets
    if retention_time_ms == DEFAULT_RETENTION_TIME:
        configs = call.cluster.configs
        retention_time_ms = configs.broker_integer(RETENTION_MINUTES, call.broker_id) * _MINUTE_MS
    expires_ms = call.now_ms + retention_time_ms
    return [offset._replace(expire_timestamp_ms=expires_ms) for offset in offsets]

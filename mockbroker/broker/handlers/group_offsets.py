"""Shared steps of offset requests: the group coordinator, and the partitions to commit."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from mockbroker.broker.call import Call
from mockbroker.broker.partitions import NamedTopic, topic_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition, Uuid, as_long
from mockbroker.state.group.group_coordinator import GroupCoordinator
from mockbroker.state.group.group_log_record import NO_EXPIRY, OffsetAndMetadata, OffsetRecord
from mockbroker.state.topic.topic import Topic

_UNKNOWN: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})

METADATA_BYTES_MAX: Final = "offset.metadata.max.bytes"
RETENTION_MINUTES: Final = "offsets.retention.minutes"
DEFAULT_RETENTION_TIME: Final = -1
_MINUTE_MS: Final = 60_000


class RequestedPartition(Protocol):
    """Offset of a partition in a commit request."""

    partition_index: int
    committed_offset: int
    committed_leader_epoch: int
    committed_metadata: str | None


class RequestedTopic(NamedTopic, Protocol):
    """Topic of a commit request, with the offsets of its partitions."""

    @property
    def partitions(self) -> Sequence[RequestedPartition]:
        """Offsets of the topic's partitions."""
        ...


TopicKey: TypeAlias = tuple[str, Uuid]
"""Name and id of a topic in the response, as in the request."""


class CommitAnswer:
    """Result for one partition."""

    __slots__ = ("code", "index")

    def __init__(self, index: int, code: ErrorCode) -> None:
        """Set a preliminary error code for a partition."""
        self.index = index
        self.code = code


class SortedCommits(NamedTuple):
    """Offsets of a request that can be committed, and a result for each partition."""

    records: list[OffsetRecord]
    answers: dict[TopicKey, list[CommitAnswer]]
    """Results in the order of the response: unknown partitions first, as in Kafka."""

    def refuse(self, code: ErrorCode) -> None:
        """Set an error code for all partitions that could have been committed."""
        for of_topic in self.answers.values():
            for answer in of_topic:
                if answer.code not in _UNKNOWN:
                    answer.code = code


def check_version(call: Call) -> None:
    """Refuse version 0 in the releases where it means ZooKeeper.

    Raises:
        ApiError: UNSUPPORTED_VERSION.

    """
    if call.api_version == 0 and call.cluster.options.offsets.first_version_is_refused:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION, "v0 stores offsets in ZooKeeper: there is none"
        )


def coordinator_of(call: Call) -> GroupCoordinator:
    """Return the group coordinator at the broker of the call."""
    return call.cluster.group_coordinator(call.broker_id)


def sort_out(
    call: Call,
    group_id: str,
    topics: Sequence[RequestedTopic],
    *,
    by_id: bool,
    retention_time_ms: int = DEFAULT_RETENTION_TIME,
) -> SortedCommits:
    """Split the offsets of a request into those that can be committed and errors."""
    needs_partition = call.cluster.options.transactions.offsets_need_partition
    answers: dict[TopicKey, list[CommitAnswer]] = {}
    known: list[tuple[TopicKey, Topic, RequestedPartition]] = []
    for requested in call.paced(topics):
        topic = _found(call, requested, by_id=by_id)
        key = (requested.name, requested.topic_id)
        for partition in call.paced(requested.partitions):
            index = partition.partition_index
            if isinstance(topic, Topic) and (topic.partition(index) or not needs_partition):
                known.append((key, topic, partition))
            else:
                missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                code = missing if isinstance(topic, Topic) else topic
                answers.setdefault(key, []).append(CommitAnswer(index, code))
    if not call.cluster.options.offsets.repeated_commits_are_kept:
        known = list({(each[0], each[2].partition_index): each for each in known}.values())
    records: list[OffsetRecord] = []
    longest = call.cluster.configs.broker_integer(METADATA_BYTES_MAX, call.broker_id)
    expires_ms = _expires_ms(call, retention_time_ms)
    for key, topic, partition in call.paced(known):
        index = partition.partition_index
        code = ErrorCode.NONE
        if len(partition.committed_metadata or "") > longest:
            code = ErrorCode.OFFSET_METADATA_TOO_LARGE
        else:
            value = _stored_offset(topic, partition, call.now_ms, expires_ms)
            records.append(OffsetRecord(group_id, TopicPartition(topic.name, index), value))
        answers.setdefault(key, []).append(CommitAnswer(index, code))
    return SortedCommits(records, answers)


def _stored_offset(
    topic: Topic, partition: RequestedPartition, now_ms: int, expires_ms: int
) -> OffsetAndMetadata:
    return OffsetAndMetadata(
        partition.committed_offset,
        partition.committed_leader_epoch,
        partition.committed_metadata or "",
        now_ms,
        expires_ms,
        topic.topic_id,
    )


def _found(call: Call, requested: NamedTopic, *, by_id: bool) -> Topic | ErrorCode:
    """Return a topic, or the error code if it is unknown."""
    try:
        return topic_of(call, requested, by_id=by_id)
    except ApiError as refusal:
        return refusal.code


def _expires_ms(call: Call, retention_time_ms: int) -> int:
    """Return an offset's own expiry time; from 2.1 only if the client requests one (KIP-211)."""
    if retention_time_ms == DEFAULT_RETENTION_TIME:
        if not call.cluster.options.offsets.expire_each_by_itself:
            return NO_EXPIRY
        configs = call.cluster.configs
        retention_time_ms = configs.broker_integer(RETENTION_MINUTES, call.broker_id) * _MINUTE_MS
    return as_long(call.now_ms + retention_time_ms)

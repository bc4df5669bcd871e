"""Records of `__consumer_offsets` that hold a group's committed offsets."""

from mockbroker.protocol.schema.message import (
    INT32,
    INT64,
    STRING,
    UUID,
    Message,
    field,
)
from mockbroker.protocol.types import Uuid


class OffsetCommitKey(Message, versions="0"):
    group: str = field(STRING)
    topic: str = field(STRING)
    partition: int = field(INT32)


class OffsetCommitValue(Message, versions="0-4", flexible="4+"):
    offset: int = field(INT64)
    leader_epoch: int = field(INT32, "3+", default=-1)
    metadata: str = field(STRING)
    commit_timestamp: int = field(INT64)
    expire_timestamp: int = field(INT64, "1", default=-1)
    topic_id: Uuid = field(UUID, "4+", tag=0, tagged="4+")


class LegacyOffsetCommitKey(Message, versions="0"):
    group: str = field(STRING)
    topic: str = field(STRING)
    partition: int = field(INT32)


class LegacyOffsetCommitValue(Message, versions="0"):
    offset: int = field(INT64)
    metadata: str = field(STRING)
    commit_timestamp: int = field(INT64)

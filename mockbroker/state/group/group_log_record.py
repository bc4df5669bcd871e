"""Records of `__consumer_offsets` as values of the state."""

from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.group_log_value import GroupMetadataValue
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata


class OffsetRecord(NamedTuple):
    """A group's committed offset for a partition; a tombstone without a value."""

    group_id: str
    partition: TopicPartition
    value: OffsetAndMetadata | None


class GroupRecord(NamedTuple):
    """A group, its generation and its members; a tombstone without a value."""

    group_id: str
    value: GroupMetadataValue | None


GroupLogRecord: TypeAlias = OffsetRecord | GroupRecord

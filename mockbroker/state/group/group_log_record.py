"""The records of `__consumer_offsets`, in the words of the state."""

from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.group_log_value import GroupMetadataValue
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata


class OffsetRecord(NamedTuple):
    """What a group has committed for a partition; without a value, nothing any more."""

    group_id: str
    partition: TopicPartition
    value: OffsetAndMetadata | None


class GroupRecord(NamedTuple):
    """A group, its generation and its members; without a value it is gone."""

    group_id: str
    value: GroupMetadataValue | None


GroupLogRecord: TypeAlias = OffsetRecord | GroupRecord
